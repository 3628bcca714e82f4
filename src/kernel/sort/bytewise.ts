/** The number of bytes converted per call: they become arguments of the call. */
const PIECE = 4096

/** Returns a string with one character per byte: any bytes become valid map keys, and the order is bytewise. */
export const bytewise = (bytes: Uint8Array): string => {
  if (bytes.length <= PIECE) return String.fromCharCode.apply(null, bytes as unknown as Array<number>)
  const pieces: Array<string> = []
  for (let at = 0; at < bytes.length; at += PIECE) pieces.push(bytewise(bytes.subarray(at, at + PIECE)))
  return pieces.join("")
}
