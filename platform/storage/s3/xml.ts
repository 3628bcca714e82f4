/**
 * Reads the XML documents of S3 responses, and escapes text for requests.
 *
 * @module
 */
import { parseXml as parse, XmlElement } from "@rgrove/parse-xml"

export type { XmlElement }

/** Returns the root element of a document; `undefined` if it is not well-formed. Document types are not processed. */
export const parseXml = (bytes: Uint8Array): XmlElement | undefined => {
  try {
    return parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)).root ?? undefined
  } catch {
    // also for documents that are nested too deeply for the parser
    return undefined
  }
}

/** Returns the child elements with a name. */
export const childrenOf = (element: XmlElement, name: string): ReadonlyArray<XmlElement> =>
  element.children.filter((child): child is XmlElement => child instanceof XmlElement && child.name === name)

/** Returns the text of the first child element with a name. */
export const textOf = (element: XmlElement, name: string): string | undefined => {
  for (const child of element.children) {
    if (child instanceof XmlElement && child.name === name) return child.text
  }
  return undefined
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Whether a text can be part of an XML document: most control characters cannot, even escaped. */
// deno-lint-ignore no-control-regex
export const isXmlText = (text: string): boolean => !/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text)

/** Escapes a text for an element. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (char) => entities[char]).replace(/[\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`)
