/**
 * Derives attributes from the fields of rows, from the Schema of effect of the rows.
 */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { type RowField, rowFieldsOf } from "../row/row_fields.ts"
import { type Attribute, enumerated, nullable, of as attributeOf } from "./attribute.ts"
import { SchemaError } from "./schema_error.ts"

/** The attributes of rows. */
export interface RowAttributes {
  readonly attrs: Readonly<Record<string, Attribute>>
  /** The values of fields whose type is a union of texts, by the name of the field. */
  readonly enumerations: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Returns the type below refinements, and whether these require integers. */
const refined = (ast: AST.AST): { readonly ast: AST.AST; readonly isInteger: boolean } => {
  let isInteger = false
  while (AST.isRefinement(ast)) {
    const json = Option.getOrUndefined(AST.getJSONSchemaAnnotation(ast)) as { readonly type?: unknown } | undefined
    isInteger ||= json?.type === "integer"
    ast = ast.from
  }
  return { ast, isInteger }
}

const dates: ReadonlyArray<string> = ["DateFromSelf", "DateTimeUtcFromSelf"]

/** Returns the datatype of values; `undefined` if no datatype fits. */
const datatypeOf = (type: AST.AST): Datatype | undefined => {
  const { ast, isInteger } = refined(type)
  switch (ast._tag) {
    case "NumberKeyword":
      return isInteger ? "int64" : "float64"
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

/** Returns the texts of a union of texts; `undefined` for other types. */
const textsOf = (types: ReadonlyArray<AST.AST>): ReadonlyArray<string> | undefined => {
  const texts = types.flatMap((type) =>
    AST.isEnums(type) ? type.enums.map(([, value]) => value) : AST.isLiteral(type) ? [type.literal] : [null]
  )
  return texts.length > 0 && texts.every((text) => typeof text === "string") ? texts : undefined
}

/** Returns the attribute of a field. Throws {@link SchemaError}. */
const attributeOfField = ({ name, types, ...may }: RowField, filters: ReadonlyArray<Filter>): Attribute => {
  const texts = textsOf(types)
  const datatypes = new Set<Datatype | undefined>(
    texts === undefined ? types.map(datatypeOf) : [texts.length > 0xfe ? "int32" : "uint8"],
  )
  const [datatype] = datatypes
  if (datatypes.size !== 1 || datatype === undefined) {
    const detail = `no datatype for ${types.map(String).join(" | ") || "an empty union"}; specify an attribute in attrs`
    throw new SchemaError({ field: name, reason: "WrongType", detail })
  }
  const attribute: Attribute = attributeOf(datatype, { filters })
  const named = texts === undefined ? attribute : enumerated(attribute, name)
  return may.nullable || may.optional ? nullable(named) : named
}

/** Returns the attributes of the fields that are not in `dims`; `attrs` overrides them. Throws {@link SchemaError}. */
export const attributesOfRows = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  dims: ReadonlyArray<string>,
  attrs: Readonly<Record<string, Attribute>>,
  filters: ReadonlyArray<Filter>,
): RowAttributes => {
  const fields = rowFieldsOf(schema)
  if (fields === undefined) {
    throw new SchemaError({
      field: "",
      reason: "WrongType",
      detail: `rows are not structs: ${String(schema.ast)}; use a Schema.Struct`,
    })
  }
  const names = fields.map(({ name }) => name)
  const rowFields = new Set(names)
  for (const name of [...dims, ...Object.keys(attrs)]) {
    if (rowFields.has(name)) continue
    const detail = `rows have no such field; they have ${names.map((n) => JSON.stringify(n)).join(", ")}`
    throw new SchemaError({ field: name, reason: "UnknownName", detail })
  }
  const missing = fields.find(({ name, nullable, optional }) => dims.includes(name) && (nullable || optional))
  if (missing !== undefined) {
    throw new SchemaError({
      field: missing.name,
      reason: "WrongType",
      detail: "coordinates must not be nullable or optional",
    })
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
