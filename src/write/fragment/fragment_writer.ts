/**
 * Writes a fragment: filters its tiles field by field in global order, streams them into its files, and then writes its
 * metadata. The fragment is invisible until its commit; without a commit, its files are removed.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { attempt, failOn } from "../../../platform/attempt.ts"
import { CodecError, type StorageError } from "../../../platform/errors.ts"
import { type FileWriter, inFlight, Storage } from "../../../platform/storage/service.ts"
import { runSteps, turnIfDue } from "../../../platform/host/event_loop_turns.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { fragmentPath } from "../../../schema/name/array_paths.ts"
import { dataFile, type DataPart, FRAGMENT_METADATA_FILE } from "../../../schema/name/data_file.ts"
import type { Range } from "../../../schema/array/range.ts"
import { Since } from "../../../schema/version/version.ts"
import { WriteError } from "../../array/open/errors.ts"
import { trackCreated } from "../../array/create/created_files.ts"
import { join } from "../../array/open/listing.ts"
import { type NameTime, newName } from "../../array/create/fragment_name.ts"
import { FilterRefused } from "../../filter/part/errors.ts"
import { concat } from "../../kernel/copy/concat.ts"
import { BoundsRecord, buildRTree, rootOf } from "../../fragment/store/build_rtree.ts"
import { denseCells } from "../../fragment/dense_tiles.ts"
import { type Field, fieldsOf, zippedCoordinates } from "../../fragment/field.ts"
import { FieldRecord } from "../../fragment/store/field_record.ts"
import { persistPool } from "../../fragment/store/filter_pool.ts"
import {
  type FieldFilters,
  fieldFilters,
  type PersistedTile,
  persistTileSteps,
} from "../../fragment/store/filter_tile.ts"
import { fragmentMetadata } from "../../fragment/store/store_fragment.ts"
import type { Steps } from "../../kernel/steps.ts"
import type { TileStatistics } from "../../fragment/tile_statistics.ts"
import { webpEncoderOf } from "../../fragment/tile_context.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { persistTiles, type WriteTile, type WriteTiles } from "./filter_tiles.ts"

/** The array to which fragments are written. */
export interface FragmentTarget {
  /** URI of the array. */
  readonly uri: string
  readonly schema: ArraySchema
  readonly schemaName: string
  /** Format version of its fragments. */
  readonly version: number
  readonly access: TileAccess
}

/** Options of a fragment. */
export interface FragmentOptions {
  /** Times of its oldest and newest cell. Default: now. */
  readonly time?: NameTime
  readonly hasTimestamps?: boolean
  readonly hasDeleteMetadata?: boolean
  readonly processedConditions?: ReadonlyArray<string>
}

/** Errors of writing tiles. */
export type WriteTilesError = StorageError | CodecError | WriteError

/** Properties of the whole fragment, known when it is finished. */
export interface FragmentEnd {
  /** Dense fragments: the written box. */
  readonly nonEmptyDomain?: ReadonlyArray<Range>
  /** Sparse fragments: number of cells in the last tile. */
  readonly lastTileCells?: number
}

/** A complete fragment that is not visible yet: see `commitFragments`. */
export interface FinishedFragment {
  /** URI of the array. */
  readonly arrayUri: string
  readonly name: string
  readonly version: number
  /** The box of its cells; `undefined` for a fragment that an earlier process finished. */
  readonly nonEmptyDomain: ReadonlyArray<Range> | undefined
  /** Only up to format 4, where the metadata file is the commit. */
  readonly metadata: { readonly uri: string; readonly bytes: Uint8Array } | undefined
  /**
   * State of the commit. When the scope closes, the fragment is removed unless it was committed or is kept for a later
   * attempt.
   */
  readonly state: { commit: "none" | "tried" | "done"; commitUri: string | undefined; isKept: boolean }
}

/** A tile of another fragment, as stored. */
export interface CopiedTile {
  readonly stored: PersistedTile
  readonly statistics: TileStatistics
  readonly cells: number
}

/** A fragment being written. */
export interface FragmentWriter {
  readonly name: string
  readonly uri: string
  /** Current size of its files in bytes. */
  readonly bytes: () => number
  /** Number of fields to write concurrently. */
  readonly inFlight: number
  /** Appends tiles of an attribute. */
  readonly write: (field: Field, tiles: WriteTiles) => Effect.Effect<void, WriteTilesError>
  /** Appends a tile of fixed-size cells that another fragment stores with the same filters. */
  readonly copy: (field: Field, tile: CopiedTile) => Effect.Effect<void, WriteTilesError>
  /** Appends tiles of coordinates, the same number for each dimension. */
  readonly writeCoordinates: (tiles: ReadonlyArray<WriteTiles>) => Effect.Effect<void, WriteTilesError>
  /** Finishes the files of a field; nothing can be appended to them afterwards. */
  readonly close: (field: Field) => Effect.Effect<void, StorageError>
  /** Finishes all files and writes the metadata. Every field must have the same number of tiles, at least one. */
  readonly finish: (end: FragmentEnd) => Effect.Effect<FinishedFragment, StorageError | CodecError>
}

/**
 * Size of the buffer of one file, and of the buffers of all files together, in bytes. A file is flushed when either is
 * full.
 */
const FILE_BUFFER_SIZE = 1 << 20
const MAX_BUFFERED_SIZE = 1 << 26

/** Maximum size of one storage call in bytes. */
const MAX_WRITE_SIZE = 1 << 23

/** Minimum total size of a field, and minimum size of one call, for which worker threads are used, in bytes. */
const MIN_FIELD_SIZE_FOR_THREADS = 1 << 24
const MIN_CALL_SIZE_FOR_THREADS = 1 << 22

/** A file of tiles. Filtered data is buffered to reduce the number of storage calls. */
interface OutFile {
  readonly uri: string
  writer: FileWriter | undefined
  parts: Array<Uint8Array>
  waiting: number
}

/** The state of one field. */
interface OutField {
  readonly record: FieldRecord
  readonly filters: FieldFilters
  readonly files: Readonly<Record<DataPart, OutFile>>
  /** Size of the appended tiles before filtering. */
  inputBytes: number
  closed: boolean
}

/** Runs filters in steps. The error for a rejected value names field and cell. */
const attemptFilters = <A>(
  uri: string,
  field: Field,
  cellOf: WriteTile["cellOf"],
  run: () => Steps<A>,
): Effect.Effect<A, CodecError | WriteError> =>
  runSteps(run, (error): Effect.Effect<never, CodecError | WriteError> => {
    if (error instanceof CodecError) return Effect.fail(error)
    if (!(error instanceof FilterRefused)) return Effect.die(error)
    const cell = error.cell === undefined ? undefined : cellOf?.(error.cell)
    const detail = `the filter ${error.filter} cannot represent it: ${error.detail}`
    return Effect.fail(
      new WriteError({
        uri,
        field: field.name,
        ...(cell === undefined ? {} : { cell }),
        reason: "InvalidValue",
        detail,
      }),
    )
  })

/** Encodes generic tiles. Their filters reject no values. */
const attemptCodecs = <A>(run: () => A): Effect.Effect<A, CodecError> => attempt(run, failOn(CodecError))

/** Opens a fragment of an array. Its files are removed when the scope closes, unless it was committed. */
export const openFragment = (
  target: FragmentTarget,
  options: FragmentOptions = {},
): Effect.Effect<FragmentWriter, never, Storage | Scope.Scope> =>
  Effect.gen(function* () {
    const created = trackCreated(yield* Storage)
    const { storage } = created
    const scope = yield* Effect.scope
    const { schema, schemaName, version, access } = target
    const name = yield* newName(options.time, version)
    const uri = join(target.uri, fragmentPath(version, name))
    const dense = schema.arrayType === "dense"
    const hasTimestamps = options.hasTimestamps === true
    const hasDeleteMetadata = options.hasDeleteMetadata === true
    const fields = fieldsOf(schema)
    const split = version >= Since.splitDimensions
    const zipped = zippedCoordinates(schema)
    const state: FinishedFragment["state"] = { commit: "none", commitUri: undefined, isKept: false }
    yield* Effect.addFinalizer(() => {
      if (state.commit === "done" || state.isKept) return Effect.void
      // remove the commit first, since it may exist if its response was lost: otherwise it would name a missing
      // fragment
      const commit = state.commit === "tried" ? storage.remove(state.commitUri!) : Effect.void
      return Effect.ignore(Effect.zipRight(commit, created.removeAll()))
    })

    // the order of the lists in the metadata: format notes, section 9
    const slots: ReadonlyArray<Field | undefined> = [
      ...fields.attributes,
      dense || split ? undefined : zipped,
      ...(split ? fields.dimensions.map((field) => dense ? undefined : field) : []),
      ...(hasTimestamps ? [fields.timestamps] : []),
      ...(hasDeleteMetadata ? [fields.deleteTimes, fields.deleteConditions] : []),
    ]
    const outs = new Map<Field, OutField>()
    const bounds = fields.dimensions.map((field) => new BoundsRecord(field))

    const open = (field: Field): Effect.Effect<OutField, CodecError> =>
      Effect.gen(function* () {
        const existing = outs.get(field)
        if (existing !== undefined) return existing
        const webp = yield* webpEncoderOf(access, field.filters)
        const file = (part: DataPart): OutFile => ({
          uri: `${uri}/${dataFile(version, field.file, part)}`,
          writer: undefined,
          parts: [],
          waiting: 0,
        })
        const out: OutField = {
          record: new FieldRecord(field),
          filters: fieldFilters(access, version, schema, field, webp),
          files: { fixed: file("fixed"), var: file("var"), validity: file("validity") },
          inputBytes: 0,
          closed: false,
        }
        outs.set(field, out)
        return out
      })

    /** bytes buffered for all files */
    let waiting = 0
    /** size of all tiles */
    let appended = 0
    const flush = (file: OutFile): Effect.Effect<void, StorageError> =>
      Effect.gen(function* () {
        if (file.waiting === 0) return
        file.writer ??= yield* Effect.provideService(storage.openWrite(file.uri), Scope.Scope, scope)
        const { parts } = file
        waiting -= file.waiting
        file.parts = []
        file.waiting = 0
        for (let from = 0; from < parts.length;) {
          // write large buffers unchanged and join small ones
          let to = from
          for (let size = 0; to < parts.length && (to === from || size + parts[to].length <= FILE_BUFFER_SIZE); to++) {
            size += parts[to].length
          }
          const bytes = to === from + 1 ? parts[from] : concat(parts.slice(from, to))
          // split huge tiles: a single call would block the event loop until the disk has written everything
          for (let at = 0; at < bytes.length; at += MAX_WRITE_SIZE) {
            yield* file.writer.write(bytes.subarray(at, at + MAX_WRITE_SIZE))
            yield* turnIfDue
          }
          from = to
        }
      })

    const put = (file: OutFile, bytes: Uint8Array): Effect.Effect<void, StorageError> =>
      Effect.suspend(() => {
        file.parts.push(bytes)
        file.waiting += bytes.length
        waiting += bytes.length
        return file.waiting < FILE_BUFFER_SIZE && waiting < MAX_BUFFERED_SIZE ? Effect.void : flush(file)
      })

    const append = (
      out: OutField,
      { tile, statistics }: WriteTile,
      persisted: PersistedTile,
    ): Effect.Effect<void, StorageError> =>
      Effect.suspend(() => {
        out.record.add(tile, persisted, statistics)
        return putTile(out, persisted)
      })

    const copy: FragmentWriter["copy"] = (field, { stored, statistics, cells }) =>
      Effect.flatMap(open(field), (out) => {
        out.record.addStored(stored, statistics, cells, 0)
        return putTile(out, stored)
      })

    const putTile = (out: OutField, persisted: PersistedTile): Effect.Effect<void, StorageError> =>
      Effect.gen(function* () {
        appended += persisted.fixed.length + (persisted.var?.length ?? 0) + (persisted.validity?.length ?? 0)
        yield* put(out.files.fixed, persisted.fixed)
        if (persisted.var !== undefined) yield* put(out.files.var, persisted.var)
        if (persisted.validity !== undefined) yield* put(out.files.validity, persisted.validity)
      })

    const write: FragmentWriter["write"] = (field, tiles) =>
      Effect.flatMap(open(field), (out) => {
        const { filters } = out
        const input = tiles.count * tiles.bytes
        out.inputBytes += input
        const pool = out.inputBytes < MIN_FIELD_SIZE_FOR_THREADS || input < MIN_CALL_SIZE_FOR_THREADS
          ? undefined
          : persistPool(access, filters)
        // memory of the previous tile; reused if the tile was large enough to be written immediately
        let memory: Uint8Array | undefined
        const filterTile = ({ tile, cellOf }: WriteTile) =>
          attemptFilters(target.uri, field, cellOf, () => persistTileSteps(filters, tile, memory))
        const take = (tile: WriteTile, persisted: PersistedTile) =>
          Effect.map(append(out, tile, persisted), () => {
            if (pool === undefined && persisted.fixed.length >= FILE_BUFFER_SIZE) memory = persisted.fixed
          })
        return persistTiles(tiles, { filters, filterTile: filterTile, pool }, take)
      })

    const writeCoordinates: FragmentWriter["writeCoordinates"] = (tiles) => {
      // by tile number, since tiles that are built concurrently may finish in any order
      const statistics = tiles.map(({ count }) => new Array<TileStatistics>(count))
      const recordBounds = function* (writeTiles: WriteTiles, d: number, i: number): Steps<WriteTile> {
        const tile = yield* writeTiles.tile(i)
        statistics[d][i] = tile.statistics
        return tile
      }
      const addBounds = Effect.sync(() =>
        statistics.forEach((all, d) => all.forEach(({ min, max }) => bounds[d].add(min!, max!)))
      )
      if (split) {
        const all = Effect.forEach(fields.dimensions, (field, d) =>
          write(field, { ...tiles[d], tile: (i) => recordBounds(tiles[d], d, i) }), {
          concurrency: inFlight(storage, uri, 4),
          discard: true,
        })
        return Effect.zipRight(all, addBounds)
      }
      // up to format 4, all dimensions share a file, in sequence within a tile
      const bytes = tiles.reduce((sum, writeTiles) =>
        sum + writeTiles.bytes, 0)
      const zip = function* (i: number): Steps<WriteTile> {
        const all: Array<WriteTile> = []
        for (const [d, writeTiles] of tiles.entries()) {
          all.push(yield* recordBounds(writeTiles, d, i))
        }
        return {
          ...all[0],
          tile: {
            ...all[0].tile,
            values: concat(all.map(({ tile }) =>
              tile.values
            )),
          },
        }
      }
      return Effect.zipRight(write(zipped, { count: tiles[0].count, bytes, tile: zip }), addBounds)
    }

    const close: FragmentWriter["close"] = (field) =>
      Effect.gen(function* () {
        const out = outs.get(field)
        if (out === undefined || out.closed) return
        out.closed = true
        for (const file of Object.values(out.files)) {
          yield* flush(file)
          if (file.writer !== undefined) yield* file.writer.finish
        }
      })

    const finish: FragmentWriter["finish"] = (end) =>
      Effect.gen(function* () {
        for (const field of outs.keys()) yield* close(field)
        const records = slots.map((field) => field === undefined ? undefined : outs.get(field)?.record)
        const tileCount = records.find((record) => record !== undefined)?.tiles ?? 0
        slots.forEach((field, slot) => {
          const tiles = field === undefined ? tileCount : records[slot]?.tiles
          if (tileCount === 0 || tiles !== tileCount) {
            throw new TypeError(`${tiles} tiles of ${field?.name}, and ${tileCount} of others`)
          }
        })
        const rtree = buildRTree({ count: dense ? 0 : tileCount, dimensions: bounds.map((b) => b.column) })
        const nonEmptyDomain = end.nonEmptyDomain ?? rootOf(rtree)
        const parts = fragmentMetadata(access, {
          version,
          schema,
          schemaName,
          dense,
          nonEmptyDomain,
          tileCount,
          lastTileCells: end.lastTileCells ?? denseCells(schema),
          hasTimestamps,
          hasDeleteMetadata,
          fields: records.map((record) => record?.contents()),
          rtree,
          processedConditions: options.processedConditions ?? [],
        })
        const file: OutFile = { uri: `${uri}/${FRAGMENT_METADATA_FILE}`, writer: undefined, parts: [], waiting: 0 }
        const finished = { arrayUri: target.uri, name, version, nonEmptyDomain, state }
        // keep the files open in the scope until the fragment is committed, possibly together with others
        outs.clear()
        if (!split) {
          const bytes = yield* attemptCodecs(() => concat([...parts]))
          return { ...finished, metadata: { uri: file.uri, bytes } }
        }
        for (;;) {
          const next = yield* attemptCodecs(() => parts.next())
          if (next.done === true) break
          yield* put(file, next.value)
          yield* turnIfDue
        }
        yield* flush(file)
        yield* file.writer!.finish
        return { ...finished, metadata: undefined }
      })

    const bytes = (): number => appended
    return { name, uri, bytes, inFlight: inFlight(storage, uri, 4), write, copy, writeCoordinates, close, finish }
  })
