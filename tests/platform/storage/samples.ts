/** Returns bytes of the kinds that arrays contain, with sizes near the limits of blocks, the same in every run. */
export const samples = (): ReadonlyArray<readonly [string, Uint8Array]> => {
  let seed = 12345
  const random = (): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return seed / 2 ** 32
  }
  const words = Array.from(
    { length: 200 },
    () => String.fromCharCode(...Array.from({ length: 2 + 8 * random() }, () => 97 + Math.floor(26 * random()))),
  )
  const text = (size: number): Uint8Array => {
    let all = ""
    while (all.length < size) all += words[Math.floor(200 * random() * random())] + " "
    return new TextEncoder().encode(all.slice(0, size))
  }
  const over = (values: ArrayBufferView, size: number) => new Uint8Array(values.buffer as ArrayBuffer).slice(0, size)
  const kinds: Readonly<Record<string, (size: number) => Uint8Array>> = {
    noise: (size) => Uint8Array.from({ length: size }, () => 256 * random()),
    skewed: (size) => Uint8Array.from({ length: size }, () => 64 * random() * random() * random()),
    text,
    floats: (size) => over(Float64Array.from({ length: Math.ceil(size / 8) }, (_, i) => Math.sin(i / 100)), size),
    integers: (size) => over(Int32Array.from({ length: Math.ceil(size / 4) }, (_, i) => i * 3), size),
    runs: (size) => Uint8Array.from({ length: size }, () => random() < 0.001 ? 256 * random() : 7),
  }
  const sizes = [0, 1, 5, 12, 13, 18, 255, 256, 257, 5000, 65535, 65536, 131073, 300000]
  return Object.entries(kinds).flatMap(([kind, make]) => sizes.map((size) => [`${kind} ${size}`, make(size)] as const))
}
