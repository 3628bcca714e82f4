/**
 * Names of characters in the escape `\N{…}`.
 *
 * The full table of Unicode names takes more than a megabyte. This module contains the names that occur in texts of
 * conditions: letters of the Latin alphabet with their marks, Greek letters, digits, punctuation, currencies, units and
 * mathematical signs, and the ideographs, whose names contain their code points.
 */

/** The combining characters of marks. */
const marks: Readonly<Record<string, string>> = {
  "GRAVE": "\u0300",
  "ACUTE": "\u0301",
  "CIRCUMFLEX": "\u0302",
  "TILDE": "\u0303",
  "MACRON": "\u0304",
  "BREVE": "\u0306",
  "DOT ABOVE": "\u0307",
  "DIAERESIS": "\u0308",
  "RING ABOVE": "\u030a",
  "DOUBLE ACUTE": "\u030b",
  "CARON": "\u030c",
  "DOT BELOW": "\u0323",
  "COMMA BELOW": "\u0326",
  "CEDILLA": "\u0327",
  "OGONEK": "\u0328",
}

/** The names of Greek letters, from U+03B1 on. */
const greek = ("ALPHA BETA GAMMA DELTA EPSILON ZETA ETA THETA IOTA KAPPA LAMDA MU NU XI OMICRON PI RHO FINAL_SIGMA " +
  "SIGMA TAU UPSILON PHI CHI PSI OMEGA").split(" ").map((name) => name.replace("_", " "))

const digits = "ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE".split(" ")

/** Punctuation and signs: one character and its name per line. */
const signs: ReadonlyMap<string, string> = new Map(
  `\0 NULL
\x07 ALERT
\t CHARACTER TABULATION
\v LINE TABULATION
\f FORM FEED
\r CARRIAGE RETURN
! EXCLAMATION MARK
" QUOTATION MARK
# NUMBER SIGN
$ DOLLAR SIGN
% PERCENT SIGN
& AMPERSAND
' APOSTROPHE
( LEFT PARENTHESIS
) RIGHT PARENTHESIS
* ASTERISK
+ PLUS SIGN
, COMMA
- HYPHEN-MINUS
. FULL STOP
/ SOLIDUS
: COLON
; SEMICOLON
< LESS-THAN SIGN
= EQUALS SIGN
> GREATER-THAN SIGN
? QUESTION MARK
@ COMMERCIAL AT
[ LEFT SQUARE BRACKET
\\ REVERSE SOLIDUS
] RIGHT SQUARE BRACKET
^ CIRCUMFLEX ACCENT
_ LOW LINE
\` GRAVE ACCENT
{ LEFT CURLY BRACKET
| VERTICAL LINE
} RIGHT CURLY BRACKET
~ TILDE
\u00a0 NO-BREAK SPACE
¡ INVERTED EXCLAMATION MARK
¢ CENT SIGN
£ POUND SIGN
¤ CURRENCY SIGN
¥ YEN SIGN
¦ BROKEN BAR
§ SECTION SIGN
¨ DIAERESIS
© COPYRIGHT SIGN
ª FEMININE ORDINAL INDICATOR
« LEFT-POINTING DOUBLE ANGLE QUOTATION MARK
¬ NOT SIGN
\u00ad SOFT HYPHEN
® REGISTERED SIGN
¯ MACRON
° DEGREE SIGN
± PLUS-MINUS SIGN
² SUPERSCRIPT TWO
³ SUPERSCRIPT THREE
´ ACUTE ACCENT
µ MICRO SIGN
¶ PILCROW SIGN
· MIDDLE DOT
¸ CEDILLA
¹ SUPERSCRIPT ONE
º MASCULINE ORDINAL INDICATOR
» RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK
¼ VULGAR FRACTION ONE QUARTER
½ VULGAR FRACTION ONE HALF
¾ VULGAR FRACTION THREE QUARTERS
¿ INVERTED QUESTION MARK
Æ LATIN CAPITAL LETTER AE
Ð LATIN CAPITAL LETTER ETH
× MULTIPLICATION SIGN
Ø LATIN CAPITAL LETTER O WITH STROKE
Þ LATIN CAPITAL LETTER THORN
ß LATIN SMALL LETTER SHARP S
æ LATIN SMALL LETTER AE
ð LATIN SMALL LETTER ETH
÷ DIVISION SIGN
ø LATIN SMALL LETTER O WITH STROKE
þ LATIN SMALL LETTER THORN
Đ LATIN CAPITAL LETTER D WITH STROKE
đ LATIN SMALL LETTER D WITH STROKE
ı LATIN SMALL LETTER DOTLESS I
Ł LATIN CAPITAL LETTER L WITH STROKE
ł LATIN SMALL LETTER L WITH STROKE
Œ LATIN CAPITAL LIGATURE OE
œ LATIN SMALL LIGATURE OE
ẞ LATIN CAPITAL LETTER SHARP S
– EN DASH
— EM DASH
‘ LEFT SINGLE QUOTATION MARK
’ RIGHT SINGLE QUOTATION MARK
“ LEFT DOUBLE QUOTATION MARK
” RIGHT DOUBLE QUOTATION MARK
† DAGGER
• BULLET
… HORIZONTAL ELLIPSIS
‰ PER MILLE SIGN
′ PRIME
″ DOUBLE PRIME
€ EURO SIGN
℃ DEGREE CELSIUS
№ NUMERO SIGN
™ TRADE MARK SIGN
← LEFTWARDS ARROW
↑ UPWARDS ARROW
→ RIGHTWARDS ARROW
↓ DOWNWARDS ARROW
∂ PARTIAL DIFFERENTIAL
∆ INCREMENT
− MINUS SIGN
√ SQUARE ROOT
∞ INFINITY
≈ ALMOST EQUAL TO
≠ NOT EQUAL TO
≤ LESS-THAN OR EQUAL TO
≥ GREATER-THAN OR EQUAL TO
♀ FEMALE SIGN
♂ MALE SIGN
✓ CHECK MARK
\ufeff ZERO WIDTH NO-BREAK SPACE
😀 GRINNING FACE`.split("\n").map((line) => {
    const character = String.fromCodePoint(line.codePointAt(0)!)
    return [line.slice(character.length + 1), character]
  }),
)

const cased = (size: string, lower: string): string => size === "SMALL" ? lower : lower.toUpperCase()

/** Returns the letter with marks as one character, if there is one. */
const composed = (letter: string, names: ReadonlyArray<string>): string | undefined => {
  if (names.some((name) => !Object.hasOwn(marks, name))) return undefined
  const whole = (letter + names.map((name) => marks[name]).join("")).normalize("NFC")
  return [...whole].length === 1 ? whole : undefined
}

/** Returns the character with a Unicode name, or `undefined` for a name that the table lacks. */
export const namedCharacter = (name: string): string | undefined => {
  const key = name.toUpperCase()
  const sign = signs.get(key)
  if (sign !== undefined) return sign
  if (key === "SPACE") return " "
  if (key === "LINE FEED") return "\n"
  const digit = /^DIGIT (\w+)$/.exec(key)
  if (digit !== null && digits.includes(digit[1])) return String(digits.indexOf(digit[1]))
  const latin = /^LATIN (SMALL|CAPITAL) LETTER ([A-Z])(?: WITH ([A-Z ]+))?$/.exec(key)
  if (latin !== null) {
    return composed(cased(latin[1], latin[2].toLowerCase()), latin[3] === undefined ? [] : latin[3].split(" AND "))
  }
  const letter = /^GREEK (SMALL|CAPITAL) LETTER ([A-Z ]+)$/.exec(key)
  if (letter !== null) {
    const [, size, greekName] = letter
    const position = greek.indexOf(greekName)
    if (position < 0 || (size === "CAPITAL" && greekName === "FINAL SIGMA")) return undefined
    return cased(size, String.fromCodePoint(0x3b1 + position))
  }
  const ideograph = /^CJK UNIFIED IDEOGRAPH-([4-9][0-9A-F]{3})$/.exec(key)
  const point = ideograph === null ? 0 : parseInt(ideograph[1], 16)
  return point >= 0x4e00 && point <= 0x9fff ? String.fromCodePoint(point) : undefined
}
