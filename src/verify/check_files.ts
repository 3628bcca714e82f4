/**
 * Checks the files of a fragment against the sizes in its footer.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage/service.ts"
import { dataFile, type DataPart, FRAGMENT_METADATA_FILE } from "../../schema/name/data_file.ts"
import { type Fragment, slotOf } from "../fragment/fragment.ts"
import { storedFields } from "../fragment/stored_fields.ts"
import { join } from "../array/open/listing.ts"
import type { CommittedFragment } from "./check_commits.ts"
import type { Findings } from "./findings.ts"

/** Checks that the data files of a fragment exist and have the sizes in the footer, and reports other files. */
export const checkFiles = (
  fragment: Fragment,
  { name: { name }, path, uri }: CommittedFragment,
  findings: Findings,
): Effect.Effect<void, never, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const entries = yield* findings.attempt(storage.list(uri), { path, fragment: name }, "Unreadable")
    if (entries === undefined) return
    const sizes = new Map(entries.flatMap((entry) => entry.kind === "file" ? [[entry.name, entry.size]] : []))
    const used = new Set<string>([FRAGMENT_METADATA_FILE])
    for (const field of storedFields(fragment)) {
      const slot = slotOf(fragment, field.file)
      const parts: ReadonlyArray<readonly [DataPart, number | undefined]> = [
        ["fixed", fragment.fileSizes[slot]],
        ...field.var ? [["var", fragment.varFileSizes[slot]] as const] : [],
        ...field.nullable ? [["validity", fragment.validityFileSizes[slot]] as const] : [],
      ]
      for (const [part, expected = 0] of parts) {
        const file = dataFile(fragment.version, field.file, part)
        used.add(file)
        const subject = { path: `${path}/${file}`, fragment: name, field: field.name }
        if (!sizes.has(file)) {
          // engines do not store empty files
          if (expected > 0) findings.add("MissingFile", subject, `${subject.path}: the file is missing`)
          continue
        }
        const size: Effect.Effect<number, StorageError> = sizes.get(file) === undefined
          ? Effect.catchTag(storage.size(join(uri, file)), "NotFound", () => Effect.succeed(0))
          : Effect.succeed(sizes.get(file)!)
        const actual = yield* findings.attempt(size, subject, "Unreadable")
        if (actual === undefined || actual === expected) continue
        findings.add("FileSize", subject, `${subject.path}: ${actual} bytes; the footer contains ${expected}`)
      }
    }
    for (const file of entries) {
      if (file.kind === "file" && used.has(file.name)) continue
      const at = `${path}/${file.name}`
      findings.add("UnknownFile", { path: at, fragment: name }, `${at}: the ${file.kind} is not part of the fragment`)
    }
  })
