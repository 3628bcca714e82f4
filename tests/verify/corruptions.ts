/** Corruptions of arrays, each with the check that finds it. */
import { decode, encode } from "../../schema/binary/mod.ts"
import { DeleteCondition } from "../../schema/commit/delete_condition.ts"
import { mbrsOfBytes, type RTree, rtree } from "../../schema/fragment/rtree.ts"
import type { TileArray } from "../../mod.ts"
import { closeGenericTile, openGenericTile } from "../../src/tile/generic_tile.ts"
import { type ArrayName, attributeNumbers } from "./arrays.ts"
import { type EditedMetadata, editMetadata, plainAccess } from "./edit_fragment.ts"

type Files = Map<string, Uint8Array>

/** A corruption of a new array. */
export interface Corruption {
  readonly name: string
  readonly array: ArrayName
  readonly check: TileArray.FindingCheck
  /** Whether it is found without reading tiles. */
  readonly quick: boolean
  readonly edit: (files: Files, other: Files) => void
}

const text = (lines: string): Uint8Array => new TextEncoder().encode(lines)
const notText = Uint8Array.of(0xff, 0xfe, 0x0a)

/** Returns the first path that a pattern matches; paths are in the order of the writes. */
const pathOf = (files: Files, pattern: RegExp): string => {
  const path = [...files.keys()].find((name) => pattern.test(name))
  if (path === undefined) throw new Error(`${pattern} matches no file: ${[...files.keys()].join(" ")}`)
  return path
}

const remove = (files: Files, pattern: RegExp): void => {
  for (const path of [...files.keys()]) if (pattern.test(path)) files.delete(path)
}

const change = (files: Files, pattern: RegExp, edit: (bytes: Uint8Array) => Uint8Array): void => {
  const path = pathOf(files, pattern)
  files.set(path, edit(files.get(path)!.slice()))
}

const truncate = (bytes: Uint8Array): Uint8Array => bytes.slice(0, Math.floor(bytes.length / 2))

const rename = (files: Files, from: RegExp, to: (path: string) => string): void => {
  for (const path of [...files.keys()].filter((name) => from.test(name))) {
    const bytes = files.get(path)!
    files.delete(path)
    files.set(to(path), bytes)
  }
}

const append = (lines: string) => (bytes: Uint8Array): Uint8Array => Uint8Array.of(...bytes, ...text(lines))

const uuid = "0123456789abcdef0123456789abcdef"

/** The first fragment: 15 tiles of 4 cells. */
const first = "__fragments/__10_10_\\w+"
const metadataFile = new RegExp(`${first}/__fragment_metadata`)
const shape = { attributes: 6, dimensions: [4] }
const slots = { ...attributeNumbers, x: 7 } as const

const inMetadata = (edit: (parts: EditedMetadata) => void, pattern = metadataFile) => (files: Files): void =>
  change(files, pattern, (bytes) => editMetadata(bytes, shape, edit))

/** Changes a section that contains a column of 64-bit numbers after their count. */
const inColumn = (
  column: "tileOffsets" | "varTileOffsets" | "varTileSizes" | "validityTileOffsets" | "tileSums" | "tileNullCounts",
  field: keyof typeof slots,
  edit: (numbers: BigUint64Array<ArrayBuffer>) => BigUint64Array<ArrayBuffer>,
) =>
  inMetadata(({ footer, sections }) => {
    const start = footer[column][slots[field]]
    const numbers = edit(new BigUint64Array(sections.get(start)!.slice(8).buffer))
    const count = BigUint64Array.of(BigInt(numbers.length))
    sections.set(start, Uint8Array.of(...new Uint8Array(count.buffer), ...new Uint8Array(numbers.buffer)))
  })

const with64 = (index: number, value: bigint) => (numbers: BigUint64Array<ArrayBuffer>) => {
  numbers[index] = value
  return numbers
}

const dimension = [{ type: "int32", var: false }] as const

const inTree = (edit: (tree: RTree) => RTree) =>
  inMetadata(({ footer, sections }) => {
    const tree = decode(rtree(dimension), sections.get(footer.rtreeOffset)!, 22, "")
    sections.set(footer.rtreeOffset, encode(rtree(dimension), edit(tree), 22))
  })

/** Replaces the rectangle of an R-tree with one for the coordinates `low` to `high`. */
const withRectangle = (level: number, index: number, low: number, high: number) => (tree: RTree): RTree => {
  const column = tree.levels.at(level)!.dimensions[0]
  if (column.kind === "fixed") (column.values as Int32Array).set([low, high], 2 * index)
  return tree
}

/** Changes a data file of the first fragment. */
const inData = (file: string, edit: (view: DataView, bytes: Uint8Array) => void, pattern = first) => (files: Files) =>
  change(files, new RegExp(`${pattern}/${file}\\.tdb`), (bytes) => {
    edit(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes)
    return bytes
  })

/** Offset of a cell in a file without filters: tiles of four cells of `size` bytes, after 20 bytes of headers. */
const cellAt = (tile: number, cell: number, size: number): number => tile * (20 + 4 * size) + 20 + cell * size

const flip = (bytes: Uint8Array, at: number): Uint8Array => {
  bytes[at] ^= 0xff
  return bytes
}

const consolidatedFolder = "__fragments/__10_20_\\w+"

const names: ReadonlyArray<Corruption> = [
  {
    name: "a stranger's file in the array's folder",
    array: "points",
    check: "UnknownFile",
    quick: true,
    edit: (files) => files.set("points/notes.txt", text("notes")),
  },
  {
    name: "a stranger's file in a fragment",
    array: "points",
    check: "UnknownFile",
    quick: true,
    edit: (files) => files.set(pathOf(files, metadataFile).replace(/[^/]+$/, "a9.tdb"), text("notes")),
  },
  {
    name: "a commit without a timestamped name",
    array: "points",
    check: "FileName",
    quick: true,
    edit: (files) => files.set("points/__commits/notes.txt", text("notes")),
  },
  {
    name: "a fragment whose name has its times in the wrong order",
    array: "points",
    check: "FileName",
    quick: true,
    edit: (files) => files.set(`points/__fragments/__20_10_${uuid}_22/a0.tdb`, text("a")),
  },
  {
    name: "a temporary file in the metadata folder",
    array: "points",
    check: "FileName",
    quick: true,
    edit: (files) => files.set(`points/__meta/__1_1_${uuid}.tmp`, text("a")),
  },
  {
    name: "a schema with a suffix",
    array: "points",
    check: "FileName",
    quick: true,
    edit: (files) => files.set(`points/__schema/__1_1_${uuid}.bak`, text("a")),
  },
  {
    name: "a file in the folder of fragments",
    array: "points",
    check: "FileName",
    quick: true,
    edit: (files) => files.set(`points/__fragments/__1_1_${uuid}_22`, text("a")),
  },
  {
    name: "an unfinished copy",
    array: "points",
    check: "UnfinishedCopy",
    quick: true,
    edit: (files) => files.set("points/__tessera_unfinished.json", text("{}")),
  },
]

const schemas: ReadonlyArray<Corruption> = [
  {
    name: "a truncated schema",
    array: "points",
    check: "Schema",
    quick: true,
    edit: (files) => change(files, /__schema\/__\d/, truncate),
  },
  {
    name: "a schema with a damaged byte",
    array: "points",
    check: "Schema",
    quick: true,
    edit: (files) => change(files, /__schema\/__\d/, (bytes) => flip(bytes, bytes.length - 12)),
  },
  {
    name: "a newer schema with another domain",
    array: "points",
    check: "SchemaDimensions",
    quick: true,
    edit: (files, other) => {
      const path = pathOf(other, /__schema\/__\d/)
      files.set(path.replace("other/", "points/"), other.get(path)!)
    },
  },
  {
    name: "a fragment of another schema",
    array: "points",
    check: "FragmentSchema",
    quick: true,
    edit: (files, other) => {
      const path = pathOf(other, /__schema\/__\d/)
      files.set(path.replace("other/", "points/"), other.get(path)!)
    },
  },
  {
    name: "a missing enumeration",
    array: "points",
    check: "MissingEnumeration",
    quick: true,
    edit: (files) => remove(files, /__enumerations\//),
  },
  {
    name: "a truncated enumeration",
    array: "points",
    check: "Enumeration",
    quick: true,
    edit: (files) => change(files, /__enumerations\//, truncate),
  },
  {
    name: "an enumeration of another name",
    array: "points",
    check: "Enumeration",
    quick: true,
    edit: (files) =>
      change(files, /__enumerations\//, (bytes) => {
        const tile = openTile(bytes)
        const at = tile.findIndex((_, i) => new TextDecoder().decode(tile.subarray(i, i + 6)) === "colors")
        tile[at] = 0x43
        return closeGenericTile(plainAccess, tile, 22)
      }),
  },
  {
    name: "an enumeration that no schema uses",
    array: "points",
    check: "UnusedEnumeration",
    quick: true,
    edit: (files) => {
      const path = pathOf(files, /__enumerations\//)
      files.set(path.replace(/[^/]+$/, `__${uuid}_0`), files.get(path)!)
    },
  },
]

const commits: ReadonlyArray<Corruption> = [
  {
    name: "consolidated commits that are not text",
    array: "commits",
    check: "ConsolidatedCommits",
    quick: true,
    edit: (files) => change(files, /\.con$/, () => notText),
  },
  {
    name: "a truncated delete in consolidated commits",
    array: "commits",
    check: "ConsolidatedCommits",
    quick: true,
    edit: (files) => change(files, /\.con$/, (bytes) => bytes.slice(0, -5)),
  },
  {
    name: "a commit twice in consolidated commits",
    array: "commits",
    check: "RepeatedCommit",
    quick: true,
    edit: (files) =>
      change(files, /\.con$/, (bytes) => Uint8Array.of(...bytes.slice(0, bytes.indexOf(10) + 1), ...bytes)),
  },
  {
    name: "consolidated commits with a path outside of the array",
    array: "commits",
    check: "CommitPath",
    quick: true,
    edit: (files) => change(files, /\.con$/, append(`../other/__commits/__1_1_${uuid}_22.wrt\n`)),
  },
  {
    name: "consolidated commits with the path of another file",
    array: "commits",
    check: "CommitPath",
    quick: true,
    edit: (files) => change(files, /\.con$/, append("__commits/readme.md\n")),
  },
  {
    name: "a missing fragment in consolidated commits",
    array: "commits",
    check: "MissingFragment",
    quick: true,
    edit: (files) => change(files, /\.con$/, append(`__commits/__70_70_${uuid}_22.wrt\n`)),
  },
  {
    name: "an ignore file that is not text",
    array: "ignored",
    check: "IgnoreFile",
    quick: true,
    edit: (files) => change(files, /\.ign$/, () => notText),
  },
  {
    name: "an ignore file with an absolute path",
    array: "ignored",
    check: "CommitPath",
    quick: true,
    edit: (files) => change(files, /\.ign$/, append("/etc/passwd\n")),
  },
  {
    name: "a missing ignore file",
    array: "ignored",
    check: "MissingFragment",
    quick: true,
    edit: (files) => remove(files, /\.ign$/),
  },
  {
    name: "a commit without its fragment",
    array: "points",
    check: "MissingFragment",
    quick: true,
    edit: (files) => remove(files, new RegExp(first)),
  },
  {
    name: "a commit of format 11 without its fragment",
    array: "old",
    check: "MissingFragment",
    quick: true,
    edit: (files) => remove(files, /__10_10_\w+\//),
  },
  {
    name: "a fragment without its commit",
    array: "points",
    check: "UncommittedFragment",
    quick: true,
    edit: (files) => remove(files, /__20_20_\w+\.wrt$/),
  },
  {
    name: "a fragment of format 11 without its commit",
    array: "old",
    check: "UncommittedFragment",
    quick: true,
    edit: (files) => remove(files, /__20_20_\w+\.ok$/),
  },
  {
    name: "a truncated delete",
    array: "points",
    check: "DeleteCondition",
    quick: true,
    edit: (files) => change(files, /\.del$/, truncate),
  },
  {
    name: "a delete with an unknown field",
    array: "points",
    check: "DeleteCondition",
    quick: true,
    edit: (files) =>
      change(files, /\.del$/, () => {
        const node = { kind: "value", op: "ne", field: "missing", value: Uint8Array.of(7, 0, 0, 0) } as const
        return closeGenericTile(plainAccess, encode(DeleteCondition, node, 22), 22)
      }),
  },
  {
    name: "a vacuum file that is not text",
    array: "consolidated",
    check: "VacuumFile",
    quick: true,
    edit: (files) => change(files, /\.vac$/, () => notText),
  },
  {
    name: "a vacuum file with a path outside of the array",
    array: "consolidated",
    check: "VacuumPath",
    quick: true,
    edit: (files) => change(files, /\.vac$/, append(`/__fragments/../../other/__1_1_${uuid}_22\n`)),
  },
  {
    name: "a vacuum file with a fragment that does not exist",
    array: "consolidated",
    check: "VacuumedMissing",
    quick: true,
    edit: (files) => change(files, /\.vac$/, append(`/__fragments/__1_1_${uuid}_22\n`)),
  },
  {
    name: "a vacuum file without the fragment that replaces the others",
    array: "consolidated",
    check: "MissingReplacement",
    quick: true,
    edit: (files) => remove(files, /__10_20_\w+(\/|\.wrt)/),
  },
  {
    name: "a vacuum file of metadata without the replacement",
    array: "metadata",
    check: "MissingReplacement",
    quick: true,
    edit: (files) => remove(files, /__meta\/__40_50_\w+$/),
  },
  {
    name: "a vacuum file of metadata with a path outside of the array",
    array: "metadata",
    check: "VacuumPath",
    quick: true,
    edit: (files) => change(files, /__meta\/.*\.vac$/, append(`/__meta/../../__1_1_${uuid}\n`)),
  },
  {
    name: "truncated metadata",
    array: "points",
    check: "Metadata",
    quick: true,
    edit: (files) => change(files, /__meta\//, truncate),
  },
  {
    name: "metadata with an impossible length",
    array: "points",
    check: "Metadata",
    quick: true,
    edit: (files) =>
      change(files, /__meta\//, () => closeGenericTile(plainAccess, Uint8Array.of(255, 255, 255, 255), 22)),
  },
  {
    name: "truncated consolidated footers",
    array: "footers",
    check: "ConsolidatedFooters",
    quick: true,
    edit: (files) => change(files, /\.meta$/, truncate),
  },
  {
    name: "consolidated footers that differ from the fragment",
    array: "footers",
    check: "ConsolidatedFooters",
    quick: true,
    edit: inMetadata(({ footer }) => {
      footer.nonEmptyDomain = [{ low: Uint8Array.of(1, 0, 0, 0), high: footer.nonEmptyDomain![0].high }]
    }),
  },
  {
    name: "a consolidated footer of a missing fragment",
    array: "footers",
    check: "UnusedFooter",
    quick: true,
    edit: (files) => remove(files, /__10_10_/),
  },
]

const fragments: ReadonlyArray<Corruption> = [
  {
    name: "truncated fragment metadata",
    array: "points",
    check: "FragmentMetadata",
    quick: true,
    edit: (files) => change(files, metadataFile, truncate),
  },
  {
    name: "a footer that is longer than the file",
    array: "points",
    check: "FragmentMetadata",
    quick: true,
    edit: (files) => change(files, metadataFile, (bytes) => flip(bytes, bytes.length - 5)),
  },
  {
    name: "empty fragment metadata",
    array: "points",
    check: "FragmentMetadata",
    quick: true,
    edit: (files) => change(files, metadataFile, () => new Uint8Array(0)),
  },
  {
    name: "a fragment whose name has another version",
    array: "points",
    check: "FragmentVersion",
    quick: true,
    edit: (files) => rename(files, /__10_10_/, (path) => path.replace(/(__10_10_\w+)_22/, "$1_21")),
  },
  {
    name: "a fragment of a later version",
    array: "points",
    check: "Unsupported",
    quick: true,
    edit: (files) => rename(files, /__10_10_/, (path) => path.replace(/(__10_10_\w+)_22/, "$1_99")),
  },
  {
    name: "a fragment whose schema is missing",
    array: "points",
    check: "FragmentSchema",
    quick: true,
    edit: inMetadata(({ footer }) => {
      footer.schemaName = `__5_5_${uuid}`
    }),
  },
  {
    name: "a non-empty domain outside of the domain",
    array: "points",
    check: "NonEmptyDomain",
    quick: true,
    edit: inMetadata(({ footer }) => {
      footer.nonEmptyDomain = [{ low: Uint8Array.of(1, 0, 0, 0), high: Uint8Array.of(0, 0, 1, 0) }]
    }),
  },
  {
    name: "a non-empty domain that is too small",
    array: "points",
    check: "NonEmptyDomain",
    quick: true,
    edit: inMetadata(({ footer }) => {
      footer.nonEmptyDomain = [{ low: Uint8Array.of(50, 0, 0, 0), high: footer.nonEmptyDomain![0].high }]
    }),
  },
  {
    name: "missing fragment metadata",
    array: "points",
    check: "MissingFile",
    quick: true,
    edit: (files) => remove(files, metadataFile),
  },
  {
    name: "a missing data file",
    array: "points",
    check: "MissingFile",
    quick: true,
    edit: (files) => remove(files, new RegExp(`${first}/a0\\.tdb`)),
  },
  {
    name: "a missing validity file",
    array: "points",
    check: "MissingFile",
    quick: true,
    edit: (files) => remove(files, new RegExp(`${first}/a1_validity\\.tdb`)),
  },
  {
    name: "a truncated data file",
    array: "points",
    check: "FileSize",
    quick: true,
    edit: (files) => change(files, new RegExp(`${first}/a0\\.tdb`), truncate),
  },
  {
    name: "a data file with additional bytes",
    array: "points",
    check: "FileSize",
    quick: true,
    edit: (files) => change(files, new RegExp(`${first}/d0\\.tdb`), append("more")),
  },
  {
    name: "a truncated file of values",
    array: "points",
    check: "FileSize",
    quick: true,
    edit: (files) => change(files, new RegExp(`${first}/a2_var\\.tdb`), truncate),
  },
  {
    name: "descending tile offsets",
    array: "points",
    check: "TileOffsets",
    quick: true,
    edit: inColumn("tileOffsets", "n", with64(3, 36n)),
  },
  {
    name: "tile offsets after the end of the file",
    array: "points",
    check: "TileOffsets",
    quick: true,
    edit: inColumn("tileOffsets", "n", with64(14, 1n << 40n)),
  },
  {
    name: "a first tile that does not start at 0",
    array: "points",
    check: "TileOffsets",
    quick: true,
    edit: inColumn("tileOffsets", "x", with64(0, 8n)),
  },
  {
    name: "too few tile offsets",
    array: "points",
    check: "TileOffsets",
    quick: true,
    edit: inColumn("tileOffsets", "n", (numbers) => numbers.slice(1)),
  },
  {
    name: "descending offsets of values",
    array: "points",
    check: "TileOffsets",
    quick: true,
    edit: inColumn("varTileOffsets", "s", with64(2, 5000n)),
  },
  {
    name: "descending offsets of validity",
    array: "points",
    check: "TileOffsets",
    quick: true,
    edit: inColumn("validityTileOffsets", "k", with64(2, 5000n)),
  },
  {
    name: "too few sizes of values",
    array: "points",
    check: "VarTileSizes",
    quick: true,
    edit: inColumn("varTileSizes", "s", (numbers) => numbers.slice(1)),
  },
  {
    name: "tile offsets with an impossible count",
    array: "points",
    check: "FragmentMetadata",
    quick: true,
    edit: inMetadata(({ footer, sections }) => {
      sections.get(footer.tileOffsets[slots.n])!.fill(0xff, 0, 7)
    }),
  },
  {
    name: "an R-tree without a leaf",
    array: "points",
    check: "RTree",
    quick: true,
    edit: inTree((tree) => {
      const leaves = tree.levels.at(-1)!.dimensions[0]
      const values = leaves.kind === "fixed" ? new Uint8Array(leaves.values.slice(2).buffer) : new Uint8Array(0)
      return { ...tree, levels: [...tree.levels.slice(0, -1), mbrsOfBytes(values, dimension)] }
    }),
  },
  {
    name: "an R-tree that cannot be decoded",
    array: "points",
    check: "RTree",
    quick: true,
    edit: inMetadata(({ footer, sections }) => {
      sections.set(footer.rtreeOffset, sections.get(footer.rtreeOffset)!.slice(0, 20))
    }),
  },
  {
    name: "a rectangle that does not contain the level below",
    array: "points",
    check: "RTreeLevels",
    quick: true,
    edit: inTree(withRectangle(-2, 0, 2, 10)),
  },
  {
    name: "a root that does not contain the level below",
    array: "points",
    check: "RTreeLevels",
    quick: true,
    edit: inTree(withRectangle(0, 0, 2, 10)),
  },
  {
    name: "an R-tree with another fanout",
    array: "points",
    check: "RTreeLevels",
    quick: true,
    edit: inTree((tree) => ({ ...tree, fanout: 3 })),
  },
  {
    name: "an R-tree with a fanout of 0",
    array: "points",
    check: "RTreeLevels",
    quick: true,
    edit: inTree((tree) => ({ ...tree, fanout: 0 })),
  },
  {
    name: "too few minima",
    array: "points",
    check: "TileStatistics",
    quick: true,
    edit: inMetadata(({ footer, sections }) => {
      const minima = sections.get(footer.tileMins[slots.n])!
      minima[0] -= 4
      sections.set(footer.tileMins[slots.n], minima.slice(0, -4))
    }),
  },
  {
    name: "maxima that cannot be decoded",
    array: "points",
    check: "TileStatistics",
    quick: true,
    edit: inMetadata(({ footer, sections }) => {
      sections.set(footer.tileMaxes[slots.c], Uint8Array.of(1, 2, 3))
    }),
  },
  {
    name: "too few sums",
    array: "points",
    check: "TileStatistics",
    quick: true,
    edit: inColumn("tileSums", "n", (numbers) => numbers.slice(1)),
  },
  {
    name: "a wrong maximum of the fragment",
    array: "points",
    check: "FragmentStatistics",
    quick: true,
    edit: inMetadata(({ footer, sections }) => {
      // the length of the minimum, the minimum, the length of the maximum, the maximum
      sections.get(footer.fragmentStatisticsOffset)![8 + 4 + 8] ^= 1
    }),
  },
  {
    name: "fragment statistics that cannot be decoded",
    array: "points",
    check: "FragmentStatistics",
    quick: true,
    edit: inMetadata(({ footer, sections }) => {
      sections.get(footer.fragmentStatisticsOffset)!.fill(0xff, 0, 7)
    }),
  },
  {
    name: "a wrong null count",
    array: "points",
    check: "FragmentStatistics",
    quick: true,
    edit: inColumn("tileNullCounts", "k", with64(0, 2n)),
  },
  {
    name: "processed conditions that cannot be decoded",
    array: "points",
    check: "ProcessedConditions",
    quick: true,
    edit: inMetadata(({ footer, sections }) => {
      sections.get(footer.processedConditionsOffset)!.fill(0xff)
    }),
  },
  {
    name: "a missing label array",
    array: "grid",
    check: "Label",
    quick: true,
    edit: (files) => remove(files, /__labels\//),
  },
  {
    name: "a truncated file of a label array",
    array: "grid",
    check: "FileSize",
    quick: true,
    edit: (files) => change(files, /__labels\/.*\/a0\.tdb/, truncate),
  },
]

const tiles: ReadonlyArray<Corruption> = [
  {
    name: "a tile with an impossible number of chunks",
    array: "points",
    check: "ChunkFraming",
    quick: false,
    edit: inData("a0", (view) => view.setBigUint64(36, 1n << 50n, true)),
  },
  {
    name: "a chunk that is longer than the tile",
    array: "points",
    check: "ChunkFraming",
    quick: false,
    edit: inData("a0", (view) => view.setUint32(36 + 12, 1000, true)),
  },
  {
    name: "a chunk of coordinates that is longer than the tile",
    array: "points",
    check: "ChunkFraming",
    quick: false,
    edit: inData("d0", (view) => view.setUint32(36 + 12, 1000, true)),
  },
  {
    name: "a cell that does not have the checksum of its chunk",
    array: "points",
    check: "Checksum",
    quick: false,
    edit: inData("a3", (_, bytes) => flip(bytes, bytes.length - 3)),
  },
  {
    name: "compressed cells that cannot be decompressed",
    array: "points",
    check: "Decode",
    quick: false,
    edit: inData("a4", (_, bytes) => bytes.fill(0xee, bytes.length - 6)),
  },
  {
    name: "an encrypted tile with a damaged byte",
    array: "encrypted",
    check: "Decryption",
    quick: false,
    edit: inData("a0", (_, bytes) => flip(bytes, bytes.length - 2)),
  },
  {
    name: "a wrong size of values",
    array: "points",
    check: "TileSize",
    quick: false,
    edit: inColumn("varTileSizes", "s", (numbers) => with64(2, numbers[2] + 1n)(numbers)),
  },
  {
    name: "descending offsets of cells",
    array: "points",
    check: "CellOffsets",
    quick: false,
    edit: inData("a2", (view) => view.setBigUint64(cellAt(1, 2, 8), 1n, true)),
  },
  {
    name: "an offset of a cell outside of the tile",
    array: "points",
    check: "CellOffsets",
    quick: false,
    edit: inData("a2", (view) => view.setBigUint64(cellAt(1, 3, 8), 5000n, true)),
  },
  {
    name: "a validity that is not 0 or 1",
    array: "points",
    check: "Validity",
    quick: false,
    edit: inData("a1_validity", (_, bytes) => bytes[cellAt(1, 0, 1)] = 2),
  },
  {
    name: "a coordinate outside of the domain",
    array: "points",
    check: "Coordinates",
    quick: false,
    edit: inData("d0", (view) => view.setInt32(cellAt(14, 3, 4), 5000, true)),
  },
  {
    name: "an MBR that does not contain a coordinate",
    array: "points",
    check: "Mbr",
    quick: false,
    edit: inTree(withRectangle(-1, 3, 27, 32)),
  },
  {
    name: "exchanged cells",
    array: "points",
    check: "CellOrder",
    quick: false,
    edit: inData("d0", (view) => {
      const [a, b] = [view.getInt32(cellAt(5, 1, 4), true), view.getInt32(cellAt(5, 2, 4), true)]
      view.setInt32(cellAt(5, 1, 4), b, true)
      view.setInt32(cellAt(5, 2, 4), a, true)
    }),
  },
  {
    name: "a tile that starts before the end of the previous tile",
    array: "points",
    check: "CellOrder",
    quick: false,
    edit: inData("d0", (view) => view.setInt32(cellAt(5, 3, 4), 60, true)),
  },
  {
    name: "a repeated coordinate",
    array: "points",
    check: "Duplicate",
    quick: false,
    edit: inData("d0", (view) => view.setInt32(cellAt(5, 2, 4), view.getInt32(cellAt(5, 1, 4), true), true)),
  },
  {
    name: "a cell above the maximum of its tile",
    array: "points",
    check: "TileBounds",
    quick: false,
    edit: inData("a0", (view) => view.setInt32(cellAt(2, 1, 4), 1_000_000, true)),
  },
  {
    name: "a minimum that no cell has",
    array: "points",
    check: "TileBounds",
    quick: false,
    edit: inMetadata(({ footer, sections }) => {
      sections.get(footer.tileMins[slots.n])![16 + 4] -= 1
    }),
  },
  {
    name: "a text after the maximum of its tile",
    array: "points",
    check: "TileBounds",
    quick: false,
    edit: inData("a2_var", (_, bytes) => bytes[20] = 0x7a),
  },
  {
    name: "a wrong sum",
    array: "points",
    check: "TileSum",
    quick: false,
    edit: inColumn("tileSums", "n", (numbers) => with64(4, numbers[4] + 1n)(numbers)),
  },
  {
    name: "a null cell that the null count does not include",
    array: "points",
    check: "TileNullCount",
    quick: false,
    edit: inData("a1_validity", (_, bytes) => bytes[cellAt(2, 0, 1)] = 0),
  },
  {
    name: "a code without a value",
    array: "points",
    check: "EnumerationCode",
    quick: false,
    edit: inData("a5", (_, bytes) => bytes[cellAt(0, 2, 1)] = 77),
  },
  {
    name: "a write time after the fragment",
    array: "consolidated",
    check: "CellTimes",
    quick: false,
    edit: inData("t", (view) => view.setBigUint64(20, 99n, true), consolidatedFolder),
  },
  {
    name: "a deleted cell without a condition",
    array: "consolidated",
    check: "DeleteMetadata",
    quick: false,
    edit: inData("dci", (view) => view.setBigUint64(20, 99n, true), consolidatedFolder),
  },
  {
    name: "a dense cell above the maximum of its tile",
    array: "grid",
    check: "TileBounds",
    quick: false,
    edit: inData("a0", (view) => view.setInt32(24, 1_000_000, true), "grid/" + first),
  },
  {
    name: "a dense cell that changes the sum of its tile",
    array: "grid",
    check: "TileSum",
    quick: false,
    edit: inData("a1", (view) => view.setFloat64(28, 1.25, true), "grid/" + first),
  },
  {
    name: "a cell of a label array above the maximum",
    array: "grid",
    check: "TileBounds",
    quick: false,
    edit: inData("a0", (_, bytes) => flip(bytes, bytes.length - 1), "__labels/l0/__fragments/\\w+"),
  },
]

function openTile(file: Uint8Array): Uint8Array {
  return openGenericTile(plainAccess, "", file).bytes.slice()
}

/** All corruptions. */
export const corruptions: ReadonlyArray<Corruption> = [...names, ...schemas, ...commits, ...fragments, ...tiles]
