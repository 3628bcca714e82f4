/**
 * CRC-32 with the most significant bit first (polynomial 04c11db7), which only bzip2 uses.
 *
 * @module
 */

/** The table of the CRC: `crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ byte]`, starting at −1, inverted at the end. */
export const crcTable: Uint32Array = /* @__PURE__ */ (() => {
  const table = new Uint32Array(256)
  for (let i = 0; i < 256; i++) {
    let crc = i << 24
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1
    table[i] = crc
  }
  return table
})()
