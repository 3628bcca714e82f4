/**
 * Counts allocated memory: replaces `ArrayBuffer` and the typed arrays by versions that sum up their sizes. Import it before
 * all other modules. Memory that runtimes allocate (in zlib, for example) is part of the resident memory instead.
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

/** Starts counting. */
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

/** Returns the allocations since the last call, in bytes: the largest one, and the sum. */
export const takeAllocations = (): { readonly largest: number; readonly total: number } => {
  const out = { largest, total }
  largest = 0
  total = 0
  return out
}
