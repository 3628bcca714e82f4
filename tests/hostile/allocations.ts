/**
 * Counts memory that is asked for: `ArrayBuffer` and the typed arrays are replaced by ones that add up what they are made
 * for. Import it before all else. What runtimes allocate themselves (in zlib, say) shows in the resident memory instead.
 */

let largest = 0
let total = 0

const note = (bytes: number): void => {
  if (bytes > largest) largest = bytes
  total += bytes
}

const counted = <T extends { readonly prototype: object }>(original: T, bytesEach: number): T => {
  const proxy: T = new Proxy(original as T & object, {
    construct: (target, args, newTarget): object => {
      if (typeof args[0] === "number") note(args[0] * bytesEach)
      else if (typeof args[0] === "object" && args[0] !== null && !(args[0] instanceof buffers.ArrayBuffer)) {
        note(Number((args[0] as ArrayLike<unknown>).length ?? 0) * bytesEach)
      }
      return Reflect.construct(target as never, args, (newTarget as unknown) === proxy ? target as never : newTarget)
    },
  })
  return proxy
}

const buffers = { ArrayBuffer: globalThis.ArrayBuffer }

/** Starts to count. */
export const countAllocations = (): void => {
  const all = globalThis as unknown as Record<
    string,
    { readonly prototype: object; readonly BYTES_PER_ELEMENT: number }
  >
  const names = ["Uint8Array", "Int8Array", "Uint16Array", "Int16Array", "Uint32Array", "Int32Array", "Float32Array"]
  for (const name of [...names, "Float64Array", "BigInt64Array", "BigUint64Array"]) {
    all[name] = counted(all[name], all[name].BYTES_PER_ELEMENT)
  }
  all.ArrayBuffer = counted(all.ArrayBuffer, 1)
}

/** What was asked for since the last time, in bytes: the largest piece, and the sum of all. */
export const takeAllocations = (): { readonly largest: number; readonly total: number } => {
  const out = { largest, total }
  largest = 0
  total = 0
  return out
}
