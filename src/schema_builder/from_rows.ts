/**
 * Attributes that hold the fields of rows, by the Schema of effect that rows have.
 */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { type RowField, rowFieldsOf } from "../row/row_fields.ts"
import { type Attribute, enumerated, nullable, of as attributeOf } from "./attribute.ts"
import { SchemaError } from "./schema_error.ts"

/** What fields of rows become. */
export interface RowAttributes {
  readonly attrs: Readonly<Record<string, Attribute>>
  /** The values of fields that are one of several texts, by the name of the field. */
  readonly enumerations: Readonly<Record<string, ReadonlyArray<string>>>
}

/** What a refinement refines, and whether it says that numbers are whole. */
const refined = (ast: AST.AST): { readonly ast: AST.AST; readonly whole: boolean } => {
  let whole = false
  while (AST.isRefinement(ast)) {
    const json = Option.getOrUndefined(AST.getJSONSchemaAnnotation(ast)) as { readonly type?: unknown } | undefined
    whole ||= json?.type === "integer"
    ast = ast.from
  }
  return { ast, whole }
}

const dates: ReadonlyArray<string> = ["DateFromSelf", "DateTimeUtcFromSelf"]

/** The datatype of values; `undefined` where none holds them. */
const datatypeOf = (type: AST.AST): Datatype | undefined => {
  const { ast, whole } = refined(type)
  switch (ast._tag) {
    case "NumberKeyword":
      return whole ? "int64" : "float64"
    case "BigIntKeyword":
      return "int64"
    case "StringKeyword":
    case "TemplateLiteral":
      return "string_utf8"
    case "BooleanKeyword":
      return "bool"
    case "Literal":
      return typeof ast.literal === "boolean" ? "bool" : typeof ast.literal === "bigint" ? "int64" : "float64"
    case "Declaration": {
      const name = Option.getOrUndefined(AST.getIdentifierAnnotation(ast)) ?? ""
      return dates.includes(name) ? "datetime_ms" : name === "Uint8ArrayFromSelf" ? "blob" : undefined
    }
    default:
      return undefined
  }
}

/** The texts that a field is one of, if it is one of texts. */
const textsOf = (types: ReadonlyArray<AST.AST>): ReadonlyArray<string> | undefined => {
  const texts = types.flatMap((type) =>
    AST.isEnums(type) ? type.enums.map(([, value]) => value) : AST.isLiteral(type) ? [type.literal] : [null]
  )
  return texts.length > 0 && texts.every((text) => typeof text === "string") ? texts : undefined
}

/** The attribute of a field. Throws {@link SchemaError}. */
const attributeOfField = ({ name, types, ...may }: RowField, filters: ReadonlyArray<Filter>): Attribute => {
  const texts = textsOf(types)
  const datatypes = new Set<Datatype | undefined>(
    texts === undefined ? types.map(datatypeOf) : [texts.length > 0xfe ? "int32" : "uint8"],
  )
  const [datatype] = datatypes
  if (datatypes.size !== 1 || datatype === undefined) {
    const reason = `no attribute is made for ${types.map(String).join(" | ") || "nothing"}; name one in attrs`
    throw new SchemaError({ field: name, detail: reason })
  }
  const attribute: Attribute = attributeOf(datatype, ...filters)
  const its = texts === undefined ? attribute : enumerated(attribute, name)
  return may.nullable || may.optional ? nullable(its) : its
}

/** What the fields of rows become that are not among `dims`; those of `attrs` are as they say. Throws {@link SchemaError}. */
export const attributesOfRows = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  dims: ReadonlyArray<string>,
  attrs: Readonly<Record<string, Attribute>>,
  filters: ReadonlyArray<Filter>,
): RowAttributes => {
  const fields = rowFieldsOf(schema)
  if (fields === undefined) {
    throw new SchemaError({ field: "", detail: `rows are no structs: ${String(schema.ast)}; give a Schema.Struct` })
  }
  const names = fields.map(({ name }) => name)
  const known = new Set(names)
  for (const name of [...dims, ...Object.keys(attrs)]) {
    if (known.has(name)) continue
    const reason = `rows have no such field, but ${names.map((n) => JSON.stringify(n)).join(", ")}`
    throw new SchemaError({ field: name, detail: reason })
  }
  const missing = fields.find(({ name, nullable, optional }) => dims.includes(name) && (nullable || optional))
  if (missing !== undefined) {
    throw new SchemaError({ field: missing.name, detail: "coordinates are neither null nor optional" })
  }
  const others = fields.filter(({ name }) => !dims.includes(name))
  const own = others.filter(({ name }) => !Object.hasOwn(attrs, name))
  return {
    attrs: Object.fromEntries(
      others.map((field) => [field.name, attrs[field.name] ?? attributeOfField(field, filters)]),
    ),
    enumerations: Object.fromEntries(own.flatMap(({ name, types }) => {
      const texts = textsOf(types)
      return texts === undefined ? [] : [[name, texts] as const]
    })),
  }
}
