/**
 * Packs the selection of fixtures that the repository contains: `deno run -A tests/golden/pack.ts FIXTURES`. Run it
 * again after a change of the fixtures, and commit `tests/golden/data`.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { pack } from "./pack_format.ts"

const data = join(import.meta.dirname!, "data")

/** Small cases that cover many features: packed for every version in which they exist. */
const everywhere = [
  "current_domain",
  "current_domain_dense",
  "consolidated_dense",
  "deletes",
  "deletes_consolidated",
  "dense_empty",
  "dense_fill",
  "dense_names",
  "dense_sparse_write",
  "dimension_labels",
  "enumerations",
  "evolved",
  "filters_webp",
  "fragments_deleted",
  "fuzz_02",
  "group",
  "hierarchy",
  "metadata",
  "metadata_consolidated",
  "sparse_1d_upgraded",
  "sparse_dups",
  "sparse_hilbert",
  "sparse_nullable",
  "sparse_string",
  "timestamps_consolidated",
  "vacuumed",
]

/** Cases packed for the first, the last and every third version in which they exist. */
const turns = [
  "commits_consolidated",
  "consolidated_sparse",
  "dense_1d_types",
  "dense_2d_colmajor",
  "dense_2d_mixed_order_global",
  "dense_2d_overlap",
  "dense_3d_multi",
  "dense_big_var",
  "dense_datetime",
  "dense_fill_var",
  "dense_nullable",
  "dense_var",
  "encrypted_dense",
  "encrypted_sparse",
  "filters_chain",
  "filters_levels",
  "filters_new",
  "filters_single",
  "filters_strings",
  "filters_strings_sparse",
  "filters_types",
  "fragment_meta_consolidated",
  "fuzz_00",
  "fuzz_01",
  "fuzz_03",
  "sparse_1d",
  "sparse_1d_appended",
  "sparse_2d",
  "sparse_2d_colmajor_global",
  "sparse_dim_filters",
  "sparse_empty",
  "sparse_float",
  "sparse_hetero",
  "sparse_hilbert_mixed",
  "sparse_rtree",
  "sparse_types",
]

/** Large cases with many chunks and tiles: packed for three versions. */
const large: Readonly<Record<string, ReadonlyArray<string>>> = {
  v2: ["sparse_big_chunks"],
  v8: ["dense_big_chunks"],
  v22: ["dense_big_chunks", "sparse_big_chunks"],
}

const namesIn = (folder: string): Array<string> =>
  readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory())

/** Returns the cases to pack by version. */
export const selection = (fixtures: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const versions = namesIn(fixtures)
    .filter((name) => /^v\d+$/.test(name))
    .sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
  const chosen = new Map<string, Array<string>>(versions.map((version) => [version, []]))
  const cases = new Map(versions.map((version) => [version, namesIn(join(fixtures, version))]))
  const having = (name: string): Array<string> => versions.filter((version) => cases.get(version)!.includes(name))
  for (const name of everywhere) for (const version of having(name)) chosen.get(version)!.push(name)
  turns.forEach((name, turn) => {
    const has = having(name)
    has.forEach((version, i) => {
      if (i === 0 || i === has.length - 1 || i % 3 === turn % 3) chosen.get(version)!.push(name)
    })
  })
  for (const [version, names] of Object.entries(large)) chosen.get(version)?.push(...names)
  return new Map([
    ...versions.map((version) => [version, chosen.get(version)!.sort()] as const),
    ["upstream", namesIn(join(fixtures, "upstream")).sort()] as const,
  ])
}

if (import.meta.main) {
  const fixtures = process.argv[2]
  if (fixtures === undefined) throw new Error("missing argument: pack.ts FIXTURES")
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data)
  let total = 0
  for (const [version, names] of selection(fixtures)) {
    const packed = pack(fixtures, names.map((name) => `${version}/${name}`))
    writeFileSync(join(data, `${version}.pack.gz`), packed)
    total += packed.byteLength
    console.log(`${version}: ${names.length} cases, ${packed.byteLength} bytes`)
  }
  console.log(`${total} bytes`)
}
