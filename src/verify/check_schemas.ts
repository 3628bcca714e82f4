/**
 * Checks schemas and enumerations.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../platform/keys.ts"
import { inFlight, Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import { cellSize } from "../../schema/array/cell_val_num.ts"
import type { Enumeration } from "../../schema/array/enumeration.ts"
import { ARRAY_SCHEMA_FILE, enumerationPath, ENUMERATIONS_FOLDER, schemaPath } from "../../schema/name/array_paths.ts"
import { loadEnumerations } from "../array/enumeration/enumerations.ts"
import { schemaAt, schemaFiles } from "../array/open/directory.ts"
import { withKey } from "../array/open/key.ts"
import { loadSchema } from "../array/open/schemas.ts"
import type { DecryptionFailed } from "../filter/part/errors.ts"
import { makeBoundedCache } from "../kernel/bounded_cache.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { Findings } from "./findings.ts"
import type { Folders } from "./folders.ts"

/** The schemas of an array that can be decoded. */
export interface LoadedSchemas {
  /** Schemas by file name; fragments before format 10 use the empty name. */
  readonly byName: ReadonlyMap<string, ArraySchema>
  /** The newest schema, if it can be decoded. */
  readonly newest: ArraySchema | undefined
  /** The largest number of values of each enumeration, by name. */
  readonly enumerationSizes: ReadonlyMap<string, number>
}

const valueCount = ({ offsets, data, type, cellValNum }: Enumeration): number =>
  offsets === null ? data.byteLength / cellSize(type, cellValNum) : offsets.length

const sameDimensions = (a: ArraySchema, b: ArraySchema): boolean =>
  a.arrayType === b.arrayType && a.dimensions.length === b.dimensions.length &&
  a.dimensions.every(({ name, type, cellValNum, domain }, d) => {
    const other = b.dimensions[d]
    return name === other.name && type === other.type && cellValNum === other.cellValNum &&
      domain.length === other.domain.length && domain.every((byte, i) => byte === other.domain[i])
  })

/**
 * Loads all schemas and enumerations. Fails with `DecryptionFailed` if no schema can be read because the key is missing
 * or wrong: all other files would then have the same finding.
 */
export const checkSchemas = (
  folders: Folders,
  access: TileAccess,
  key: EncryptionKey | undefined,
  findings: Findings,
): Effect.Effect<LoadedSchemas, DecryptionFailed, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri } = folders
    const storage = yield* Storage
    const files = schemaFiles(folders)
    const loaded = yield* Effect.forEach(files, (file) => Effect.either(loadSchema(access, file.uri)), {
      concurrency: inFlight(storage, uri, 8),
    })
    const byName = new Map<string, ArraySchema>()
    let undecryptable: DecryptionFailed | undefined
    for (const [i, result] of loaded.entries()) {
      const { name } = files[i].name
      if (result._tag === "Right") byName.set(name, result.right)
      else if (result.left._tag === "DecryptionFailed") undecryptable = result.left
    }
    if (byName.size === 0 && undecryptable !== undefined) return yield* Effect.fail(undecryptable)
    for (const [i, result] of loaded.entries()) {
      const path = schemaPath(files[i].name.name)
      if (result._tag === "Left") findings.addError(result.left, { path }, "Schema")
    }
    const newestFile = schemaAt(files, Infinity)
    const newest = newestFile === undefined ? undefined : byName.get(newestFile.name.name)
    for (const [name, schema] of byName) {
      const reference = newest ?? schema
      if (sameDimensions(schema, reference)) continue
      const message = `${schemaPath(name)}: the dimensions differ from those of the newest schema`
      findings.add("SchemaDimensions", { path: schemaPath(name) }, message)
    }

    const sizes = new Map<string, number>()
    const checked = new Set<string>()
    const used = new Set<string>()
    const present = new Set(folders.enumerations.map(({ name }) => name))
    const schemaCache = makeBoundedCache().makeSpace()
    for (const [schemaName, schema] of byName) {
      const path = schemaPath(schemaName)
      const names = new Set(schema.enumerations.map(({ name }) => name))
      for (const attribute of schema.attributes) {
        if (attribute.enumeration === "" || names.has(attribute.enumeration)) continue
        const message = `${path}: the enumeration ${JSON.stringify(attribute.enumeration)} is not part of the schema`
        findings.add("Enumeration", { path, field: attribute.name }, message)
      }
      const enumerated = withKey({ uri, schema, verifyChecksums: true, schemaCache }, key)
      for (const { name, fileName } of schema.enumerations) {
        used.add(fileName)
        if (checked.has(`${fileName} ${name}`)) continue
        checked.add(`${fileName} ${name}`)
        const file = enumerationPath(fileName)
        if (!present.has(fileName)) {
          findings.add("MissingEnumeration", { path: file }, `${file}: the file of the enumeration ${name} is missing`)
          continue
        }
        const values = yield* findings.attempt(loadEnumerations(enumerated, [name]), { path: file }, "Enumeration")
        for (const value of values ?? []) sizes.set(name, Math.max(sizes.get(name) ?? 0, valueCount(value)))
      }
    }
    for (const { name } of byName.size === files.length ? folders.enumerations : []) {
      const path = `${ENUMERATIONS_FOLDER}/${name}`
      if (!used.has(name)) findings.add("UnusedEnumeration", { path }, `${path}: no schema uses this enumeration`)
    }
    const original = byName.get(ARRAY_SCHEMA_FILE)
    if (original !== undefined) byName.set("", original)
    return { byName, newest, enumerationSizes: sizes }
  })
