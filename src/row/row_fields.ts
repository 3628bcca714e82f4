/**
 * The fields of rows, as the encoded side of a Schema of effect has them: what lies in an array.
 */
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** A field of a row. */
export interface RowField {
  readonly name: string
  /** What its values may be, besides null and nothing; several in a union. */
  readonly types: ReadonlyArray<AST.AST>
  /** Whether it may be null. */
  readonly nullable: boolean
  /** Whether it may be missing, or undefined. */
  readonly optional: boolean
}

/** The members of unions in unions. */
const membersOf = (ast: AST.AST): ReadonlyArray<AST.AST> => AST.isUnion(ast) ? ast.types.flatMap(membersOf) : [ast]

const isNull = (ast: AST.AST): boolean => AST.isLiteral(ast) && ast.literal === null

/** The fields of the rows of a schema; `undefined` if rows are no structs. */
export const rowFieldsOf = <A, I, R>(schema: Schema.Schema<A, I, R>): ReadonlyArray<RowField> | undefined => {
  const encoded = AST.encodedBoundAST(schema.ast)
  const struct = AST.isRefinement(encoded) ? encoded.from : encoded
  if (!AST.isTypeLiteral(struct) || struct.indexSignatures.length > 0) return undefined
  return struct.propertySignatures.map(({ name, type, isOptional }): RowField => {
    const types = membersOf(type)
    return {
      name: String(name),
      types: types.filter((member) => !isNull(member) && !AST.isUndefinedKeyword(member)),
      nullable: types.some(isNull),
      optional: isOptional || types.some(AST.isUndefinedKeyword),
    }
  })
}

/** What a refinement refines. */
const unrefined = (ast: AST.AST): AST.AST => AST.isRefinement(ast) ? unrefined(ast.from) : ast

/** Whether values are nothing but numbers. */
const areNumbers = (types: ReadonlyArray<AST.AST>): boolean =>
  types.length > 0 &&
  types.map(unrefined).every((ast) =>
    AST.isNumberKeyword(ast) || (AST.isLiteral(ast) && typeof ast.literal === "number")
  )

/** What the values of a field may be that is nothing but lists. */
const listed = ({ types }: RowField): ReadonlyArray<AST.AST> | undefined => {
  const ast = types.length === 1 ? unrefined(types[0]) : undefined
  if (ast === undefined || !AST.isTupleType(ast)) return undefined
  return [...ast.elements, ...ast.rest].flatMap(({ type }) => membersOf(type))
}

/** Whether a field is a list of values. */
export const isList = (field: RowField): boolean => listed(field) !== undefined

/** Whether a field is nothing but a number, or a list of them. */
export const isNumber = (field: RowField): boolean => areNumbers(listed(field) ?? field.types)
