/** The number of bytes converted per call: they become arguments of the call. */
const MAX_ARGUMENTS = 4096

/** Returns a string with one character per byte: any bytes become valid map keys, and the order is bytewise. */
export const bytewise = (bytes: Uint8Array): string => {
  if (bytes.length <= MAX_ARGUMENTS) return String.fromCharCode.apply(null, bytes as unknown as Array<number>)
  const pieces: Array<string> = []
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) pieces.push(bytewise(bytes.subarray(at, at + MAX_ARGUMENTS)))
  return pieces.join("")
}
