/**
 * The phrases and identifiers that the project does not use, each with a plain alternative. `tests/language_test.ts` rejects
 * them. To list them:
 *
 * ```sh
 * deno run -A tests/support/phrases.ts [PATHS]     # prints file:line: phrase → alternative
 * deno run -A tests/support/phrases.ts --counts    # prints how often each pattern occurs
 * ```
 *
 * Patterns are case-sensitive: `is None` in Python and `Of` at the start of a sentence differ from `is none` and `of`.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { splitSource } from "./prose.ts"

/** A phrase that the project does not use. */
export interface Phrase {
  /** Matches the phrase. A blank in it matches any white space. */
  readonly pattern: RegExp
  /** A text that the pattern matches. */
  readonly example: string
  /** What to write instead. */
  readonly instead: string
}

/** Phrases in comments, strings and documents. */
export const phrases: ReadonlyArray<Phrase> = [
  // negation with "no" and "none"
  {
    pattern: /(?<!\b[Tt]here )\bis no (?!longer\b|more than\b|better\b)/,
    example: "NaN is no integer",
    instead: '"is not a …", "invalid …", "… not found"',
  },
  {
    pattern: /(?<!\b[Tt]here )\bare no (?!longer\b|more than\b|better\b)/,
    example: "9 bytes are no key",
    instead: '"are not …", "invalid …"',
  },
  { pattern: /\b[Tt]here (?:is|are|was|were) none\b/, example: "where there is none", instead: '"missing", "absent"' },
  {
    pattern: /(?<!\b[Tt]here )\b(?:is|are|was|were) none\b/,
    example: "a tile of 0 is none",
    instead: '"is not …", "is invalid", "is empty"',
  },
  { pattern: /\bha(?:s|ve|d) none\b/, example: "an array that has none", instead: '"has no <noun>", "without <noun>"' },
  {
    pattern: /\bnone of (?:it|them|these|those|its)\b/,
    example: "none of them",
    instead: "the noun: no tile, no field",
  },
  { pattern: /\bnothing of (?:it|them|the|a|an)\b/, example: "nothing of it is written", instead: '"no part of …"' },
  {
    pattern: /\bin no (?!case\b|particular\b|time\b)\w+/,
    example: "in no order",
    instead: '"not in any …", "unordered"',
  },
  // relative clauses in the place of a noun
  {
    pattern: /\b[Ww]hat (?:it|they|that|this|these|those) (?:is|are|was|were)\b/,
    example: "what it is",
    instead: "the noun: the kind, the type, the value",
  },
  {
    pattern:
      /\b[Ww]hat (?:is|was|are|were) (?:there|left|wanted|asked|given|known|wrong|written|read|told|meant|said|selected|done)\b/,
    example: "what is known",
    instead: "the noun: the existing files, the remainder, the input, the cause",
  },
  { pattern: /\b[Ww]hat (?:is|was) (?:no|not|none)\b/, example: "what is not", instead: "a noun with an adjective" },
  {
    pattern: /\b[Ww]hat of\b/,
    example: "what of an array is printed",
    instead: "the noun: printed sections, requested fields",
  },
  {
    pattern: /\b(?:of|by|from|with|for|to|in|on) what (?:is|was|it|they|a|an|the|cannot|has|was|were|are)\b/,
    example: "the names of what it reads",
    instead: "the noun: the fields, the tiles, the file",
  },
  { pattern: /\band what (?:is|was|they|it|to|a|the|an)\b/, example: "and what is left", instead: "the noun" },
  { pattern: /\b[Ww]hat becomes of\b/, example: "what becomes of a tile", instead: '"how … is handled"' },
  { pattern: /\bof which\b/, example: "two, of which one is empty", instead: 'a second sentence, or "whose"' },
  {
    pattern: /\b(?:that|which) (?:is|are|was|were) (?:already )?there\b/,
    example: "a file that is there",
    instead: '"existing"',
  },
  {
    pattern: /\b(?:is|are|was|were) there (?:already|before|whole|twice|once|too|at|when|and|as|or not)\b/,
    example: "the file is there already",
    instead: '"exists", "already exists"',
  },
  {
    pattern: /\b(?:is|are|was|were) not there\b/,
    example: "a file that is not there",
    instead: '"missing", "does not exist"',
  },
  {
    pattern: /\bwhatever (?:it|they|the|a|an|is|that|else)\b/,
    example: "whatever the order",
    instead: '"for any …", "in any …"',
  },
  {
    pattern: /\b(?:is|are) (?:that|those) of\b/,
    example: "the order is that of the schema",
    instead: "repeat the noun",
  },
  {
    pattern: /\b(?:so|as) many (?:bytes|cells|tiles|rows|values|files|others?|times|of)\b/,
    example: "so many bytes",
    instead: '"this number of …", "at most N …"',
  },
  // sentences that start with "Of"
  {
    pattern:
      /(?:^|\0|[.;:!?] +|\n *)Of (?:a|an|the|what|all|each|every|any|these|those|them|several|one|(?:\w+ )?\w+s)\b/m,
    example: "Of dense arrays only",
    instead: "subject first: Dense arrays return …",
  },
  {
    pattern: /[:;–] of (?:a|an|the|what|each|every|any|these|those|them|several|one|(?:\w+ )?\w+s) /,
    example: "tiles; of sparse arrays none",
    instead: "subject first",
  },
  // words of place for things that have no place
  {
    pattern:
      /\b(?:lies?|lay|lying) (?:in|inside|outside|between|within|over|behind|before|below|beyond|above|under|at|on|apart|side|close|among|there|together|beside|next|entirely|where)\b/,
    example: "it lies in the domain",
    instead: '"is in", "is inside", "overlaps", "follows"',
  },
  {
    pattern: /\b(?:as|where|which|how|that) (?:it|they) (?:lies?|lay|stands?|stood)\b/,
    example: "as they lie in the file",
    instead: '"in file order", "where … is stored"',
  },
  {
    pattern: /\b(?:stands?|stood) (?:in|at|behind|before|there|where|on|first|last|between|after)\b/,
    example: "it stands in the file",
    instead: '"is in", "is stored", "represents"',
  },
  {
    pattern: /\bbeside (?:it|them|the|a|an|its|their|this|that|each|what|one|others|other)\b/,
    example: "beside it",
    instead: '"next to", "in addition to", "in parallel with"',
  },
  {
    pattern: /\bbehind (?:it|them|the|a|an|its|their|this|that|each|what|one|which|these|every)\b/,
    example: "behind the last cell",
    instead: '"after"',
  },
  {
    pattern: /\bis wrong with\b/,
    example: "what is wrong with the schema",
    instead: '"the reason", "the problem with"',
  },
  // code as a person
  {
    pattern: /\b(?:is|are|was|were) (?:told|asked|said|meant(?! to\b| for\b))\b/,
    example: "it is told the size",
    instead: '"receives", "requires", "requested"',
  },
  {
    pattern: /\bwho(?:ever)? (?:asks|reads|writes|wants|calls|has|takes|waits|needs|opens|comes)\b/,
    example: "who asks",
    instead: '"the caller", "the reader"',
  },
  {
    pattern: /\b(?:says?|said) (?:what|that|so|which|how|where|of|nothing|it|whether|the|otherwise|no)\b/,
    example: "it says what it is",
    instead: '"reports", "describes", "states"',
  },
  {
    pattern: /\btells? (?:what|that|so|which|how|where|of|it|whether|the|them)\b/,
    example: "tells what it read",
    instead: '"reports", "returns"',
  },
  {
    pattern: /\bk(?:now|nows|new) (?:nothing|of|no|neither|none)\b/,
    example: "knows nothing of storage",
    instead: '"does not depend on", "has no access to"',
  },
  {
    pattern: /\bknown of\b/,
    example: "what is known of a tile",
    instead: '"known about", or the noun: metadata, statistics',
  },
  { pattern: /\b(?:gives?|gave|given) way\b/, example: "gives way to others", instead: '"yields"' },
  {
    pattern: /\bask(?:s|ed|ing)? (?:for|of|about|the|a|an|what|whether|it|them)\b/,
    example: "what a read asks for",
    instead: '"requests", "requires", "checks"',
  },
  {
    pattern:
      /\b(?<!\bquestion and )[Aa]nswers (?:a|an|the|what|with|to|it|nothing|for|by|in|as|that|how|whether|those|them|every|no)\b/,
    example: "answers the cells",
    instead: '"returns", "responds with"',
  },
  {
    pattern: /\b(?:nobody|somebody|anybody)\b/i,
    example: "nobody wrote it",
    instead: 'passive voice: "unwritten"; or the role: "another process"',
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|being|not) looked (?:at|for|after|through|up in)\b|\b[Ll]ooks at\b/,
    example: "cells that are looked at",
    instead: '"checked", "read", "searched"',
  },
  { pattern: /\b(?<!un)wanted\b/, example: "the cells wanted", instead: '"requested", "required"' },
  // idioms
  {
    pattern: /\bgoes (?:by|with|beyond|away|in|there|first|for|past|into|without)\b/,
    example: "the query goes with every request",
    instead: '"is sent", "is added", "continues"',
  },
  {
    pattern:
      /\bis left (?:out|over|of|to|alone|as|in|for|at|behind|there|away)\b|\bare left (?:out|over|of|to|alone|as|in|for|at|behind|there|away)\b/,
    example: "tiles are left out",
    instead: '"is omitted", "remains"',
  },
  {
    pattern: /\bno whole (?:number|cell|tile|byte|row|line|text)s?\b/,
    example: "no whole number",
    instead: '"not an integer", "incomplete"',
  },
  { pattern: /\bnothing (?:but|to (?:say|do|be|read))\b/, example: "nothing but buffers", instead: '"only", "no …"' },
  { pattern: /\bfulfil(?:s|led|ling|ment)?\b/, example: "cells that fulfil it", instead: '"match", "satisfy"' },
  {
    pattern:
      /\b(?:of|at|from|in|by) (?:a|an|one|its|each|this|that|some|any|which|several|the same|another|their) moments?\b/,
    example: "a write at a moment",
    instead: '"timestamp", "time"',
  },
  {
    pattern:
      /\b(?:stays?|stayed|left|leaves?|kept|keeps?|returned|read|written|copied|taken|back|again) as (?:it|they) (?:is|are|was|were)\b/,
    example: "stays as it is",
    instead: '"unchanged", "verbatim"',
  },
  {
    pattern:
      /\b(?:one|ones) (?:before|behind|after) (?:it|them|that|the other)\b|\bone after the other\b|\bone on top of\b/,
    example: "one after the other",
    instead: '"sequentially", "the previous …"',
  },
  {
    pattern: /\b(?:cannot|can|may|must|would) hold\b|\bholds? (?:no|what|it|them|one|for|of|in|by|nothing|too|only)\b/,
    example: "what the array cannot hold",
    instead: '"contains", "stores", "fits", "applies to"',
  },
  {
    pattern: /\b(?:is|are|was|were) (?:gone|whole|sound)\b/,
    example: "the file is there or is gone",
    instead: '"was deleted", "is complete", "is valid"',
  },
  { pattern: /\b(?:of|in) (?:ours|yours|theirs)\b/, example: "memory of yours", instead: '"your memory", "our files"' },
  // verbs and nouns that say less than they seem to
  {
    pattern: /\b(?:What|what) [^.]{1,60} can fail with\b/,
    example: "What writing rows can fail with",
    instead: '"Errors of …"',
  },
  { pattern: /\bAs \{@link/, example: "As {@link read}, in steps", instead: '"Like {@link …}"' },
  {
    pattern: /\bHow (?:many|far|long) (?!does\b|do\b|to\b)/,
    example: "How many cells of each",
    instead: '"Number of …"',
  },
  { pattern: /\bWhere (?:it|they) (?:is|are)\b/, example: "Where it is", instead: '"URI of …", "Position of …"' },
  {
    pattern: /\b[Ll]eave (?:out|(?:it|one|them|at) out)\b/,
    example: "pass another, or leave it out",
    instead: '"omit"',
  },
  { pattern: /\bmeans? nothing\b/, example: "an option that means nothing here", instead: '"has no effect"' },
  { pattern: /\bbeg[aiu]n anew\b/, example: "begin it anew, or begin anew", instead: '"start again"' },
  { pattern: /\bcounts? in their order\b/, example: "rows that count in their order", instead: '"replaces"' },
]

/** Identifiers in code. */
export const identifiers: ReadonlyArray<Phrase> = [
  { pattern: /\bits\b/, example: "its", instead: "the noun: column, field, part" },
  {
    pattern: /\b_?wanted\b|\bWanted\w*|\bwanted[A-Z]\w*/,
    example: "wantedFields",
    instead: "requested…, required…, options",
  },
  { pattern: /\b(?:asked|Asked)(?:[A-Z]\w*)?\b/, example: "askedOf", instead: "requested…, resolved…, query" },
  { pattern: /\b(?:found|Found)(?:[A-Z]\w*)?\b/, example: "foundCells", instead: "result…, matches, the noun" },
  { pattern: /\bgiven(?:[A-Z]\w*)?\b/, example: "givenBytes", instead: "input…, options, the noun" },
  { pattern: /\bmost(?:[A-Z]\w*)?\b|\bMOST_\w+/, example: "mostBytes", instead: "max…, MAX_…" },
  { pattern: /\bleast(?:[A-Z]\w*)?\b|\bLEAST_\w+/, example: "leastSize", instead: "min…, MIN_…" },
  { pattern: /\bheld(?:[A-Z]\w*)?\b/, example: "held", instead: "the noun: entry, handle, buffered…" },
  { pattern: /\bkeep\b/, example: "keep[i]", instead: "mask, selected" },
  { pattern: /\broom\b|\broom(?:For|Of)\w*/, example: "room(n)", instead: "allocate…, capacity, remaining…" },
  { pattern: /\b(?:breath|noticing|withBreath)\w*/, example: "breath()", instead: "yieldToEventLoop, the action" },
  { pattern: /\bwhat[A-Z]\w*|\bwhat\b/, example: "whatIs", instead: "the noun: subject, kind, label" },
  {
    pattern: /\b(?:sound|unsound|gone|told|meant|nothing|honest)\b/,
    example: "sound",
    instead: "valid, removed, reported, expected, empty",
  },
  { pattern: /\b(?:aside|astray|afresh)\b/, example: "aside", instead: "stderr, the noun" },
  {
    pattern: /\b(?:LONGEST|SHORTEST|LARGEST|SMALLEST|DEEPEST|FEWEST|NARROWEST|WIDEST)(?:_\w+)?\b/,
    example: "LONGEST_LINE",
    instead: "MAX_…, MIN_…",
  },
  {
    pattern: /\b(?:BELIEVED|WORTH|MANY|FEW|PIECE|PATIENCE|LOOKS|APART|UNDER_WAY|AT_ONCE|\w+_AT_ONCE)\b/,
    example: "BELIEVED",
    instead: "MAX_…, MIN_…, …_SIZE",
  },
]

/** A phrase in a file. */
export interface Occurrence {
  readonly line: number
  readonly text: string
  readonly phrase: Phrase
}

const spaced = (pattern: RegExp): RegExp =>
  new RegExp(pattern.source.replaceAll(/(?<!\[[^\]]*) (?![*+?])/g, "\\s+"), `g${pattern.flags}`)

const compile = (list: ReadonlyArray<Phrase>) => list.map((phrase) => ({ phrase, pattern: spaced(phrase.pattern) }))
const inProse = compile(phrases)
const inCode = compile(identifiers)

/** Returns the phrases in a file, by line. */
export const occurrencesIn = (path: string, source: string): ReadonlyArray<Occurrence> => {
  const { prose, code } = splitSource(path, source)
  const search = (
    text: string,
    list: ReturnType<typeof compile>,
  ): Array<{ at: number; text: string; phrase: Phrase }> =>
    list.flatMap(({ phrase, pattern }) =>
      [...text.matchAll(pattern)].map((match) => ({
        at: match.index,
        text: match[0].replaceAll(/\s+/g, " ").trim(),
        phrase,
      }))
    )
  return [...search(prose, inProse), ...search(code, inCode)].sort((a, b) => a.at - b.at).map((
    { at, text, phrase },
  ) => ({
    line: source.slice(0, at).split("\n").length,
    text,
    phrase,
  }))
}

/** Files that define the phrases, and so contain them. */
const definitions = ["tests/support/phrases.ts", "tests/language_test.ts"]
const skipped = ["node_modules", "dist", "coverage", "tests/golden/data"]

/** Returns the paths of the sources, scripts and documents below a folder of the project, sorted. */
export const textFiles = (root: string, folder: string = ""): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return skipped.includes(path) || entry.name.startsWith(".") ? [] : textFiles(root, path)
    return /\.(?:ts|md|py|sh|wat)$/.test(entry.name) && !definitions.includes(path) ? [path] : []
  }).sort()

if (import.meta.main) {
  const root = join(import.meta.dirname!, "..", "..")
  const counts = process.argv.includes("--counts")
  const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
  const files = paths.length === 0
    ? textFiles(root).map((path) => join(root, path))
    : paths.flatMap((path) => statSync(path).isDirectory() ? textFiles(path).map((name) => join(path, name)) : [path])
  const all = files.flatMap((path) => occurrencesIn(path, readFileSync(path, "utf8")).map((o) => ({ path, ...o })))
  if (counts) {
    for (const phrase of [...phrases, ...identifiers]) {
      console.log(`${all.filter((o) => o.phrase === phrase).length}\t${phrase.pattern.source}`)
    }
  } else for (const { path, line, text, phrase } of all) console.log(`${path}:${line}: ${text} → ${phrase.instead}`)
  console.error(`${all.length} phrases in ${new Set(all.map(({ path }) => path)).size} of ${files.length} files`)
}
