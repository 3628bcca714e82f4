/** Bytes that are taken at once: they become arguments of a call. */
const PIECE = 4096

/** A string with a character a byte: unknown bytes survive as keys of a map, and its order is bytewise. */
export const bytewise = (bytes: Uint8Array): string => {
  if (bytes.length <= PIECE) return String.fromCharCode.apply(null, bytes as unknown as Array<number>)
  const pieces: Array<string> = []
  for (let at = 0; at < bytes.length; at += PIECE) pieces.push(bytewise(bytes.subarray(at, at + PIECE)))
  return pieces.join("")
}
