/**
 * The fields of rows in the encoded side of an Effect Schema, which corresponds to the array's cells.
 */
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** A field of a row. */
export interface RowField {
  readonly name: string
  /** Types of its values other than null and undefined; several types for a union. */
  readonly types: ReadonlyArray<AST.AST>
  /** Whether it may be null. */
  readonly nullable: boolean
  /** Whether it may be missing or undefined. */
  readonly optional: boolean
}

/** Flattens unions of unions. */
const membersOf = (ast: AST.AST): ReadonlyArray<AST.AST> => AST.isUnion(ast) ? ast.types.flatMap(membersOf) : [ast]

const isNull = (ast: AST.AST): boolean => AST.isLiteral(ast) && ast.literal === null

/** Returns the fields of a schema's rows; `undefined` if rows are not structs. */
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

/** Returns the type that a refinement refines. */
const unrefined = (ast: AST.AST): AST.AST => AST.isRefinement(ast) ? unrefined(ast.from) : ast

/** Whether all types are numbers. */
const areNumbers = (types: ReadonlyArray<AST.AST>): boolean =>
  types.length > 0 &&
  types.map(unrefined).every((ast) =>
    AST.isNumberKeyword(ast) || (AST.isLiteral(ast) && typeof ast.literal === "number")
  )

/** Returns the element types of a field whose values are all lists. */
const listed = ({ types }: RowField): ReadonlyArray<AST.AST> | undefined => {
  const ast = types.length === 1 ? unrefined(types[0]) : undefined
  if (ast === undefined || !AST.isTupleType(ast)) return undefined
  return [...ast.elements, ...ast.rest].flatMap(({ type }) => membersOf(type))
}

/** Whether all values of a field are lists. */
export const isList = (field: RowField): boolean => listed(field) !== undefined

/** Whether a field is a number or a list of numbers. */
export const isNumber = (field: RowField): boolean => areNumbers(listed(field) ?? field.types)
