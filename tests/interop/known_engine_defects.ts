/**
 * Where the real engine 2.30 is wrong, found by this sample. Its arrays and reads keep clear of these things, and only of
 * them. Each comes with a few lines that show it: `deno task interop --defects` runs them.
 */

/** One mistake of the engine. */
export interface EngineDefect {
  readonly name: string
  /** What the engine does. */
  readonly engine: string
  /** What we do. */
  readonly ours: string
  /** How the sample keeps clear of it. */
  readonly kept: string
  /** What it says where it cannot read: reads that fail so are not compared, all others have to be. */
  readonly says?: string
  /**
   * Python that answers whether it is so; it sees `e` (the engine), `u` (a fresh path), `A`, `D`, `show(e, u, layout, ranges,
   * where, end)` and `ask(e, u, field, aggregates, ranges, where)`. Dying counts as yes.
   */
  readonly reproduce: string
}

/** All that are known. */
export const knownEngineDefects: ReadonlyArray<EngineDefect> = [
  {
    name: "dense reads in no order",
    engine: "answers rubbish, or writes beyond its buffers, for a dense read with the layout TILEDB_UNORDERED",
    ours: "unordered dense reads are in row order",
    kept: "dense arrays are read in row, column and global order",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 4, 2), D('y', 'int32', 1, 4, 2)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': list(range(1, 17))}, [(1, 4), (1, 4)], 1)
return sorted(show(e, u, 'unordered', [[(1, 4)], [(1, 3)]])['a']) != [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]`,
  },
  {
    name: "dense ranges in no order, or that overlap",
    engine:
      "answers range after range, with cells twice; with var-sized or nullable attributes it damages its memory and dies",
    ours: "ranges are sorted and joined first: each cell once, in order",
    kept: "the engine is asked the sorted, joined ranges, we are asked the ranges as they are",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': list(range(1, 11))}, [(1, 10)], 1)
return show(e, u, 'row-major', [[(2, 4), (3, 6)]])['a'] == [2, 3, 4, 3, 4, 5, 6]`,
  },
  {
    name: "sparse ranges that overlap",
    engine:
      "answers a cell once for each range that holds it in row and column order, and once in global order and in none; " +
      "in one dimension, row and column order go range after range as they were given, in two they do not",
    ours: "each cell once, in order",
    kept: "as above",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2, 3, 4, 5, 6], 'a': [1, 2, 3, 4, 5, 6]}, None, 1)
r = [[(2, 4), (3, 6)]]
return len(show(e, u, 'row-major', r)['a']) == 7 and len(show(e, u, 'global-order', r)['a']) == 5`,
  },
  {
    name: "minus zero as a coordinate",
    engine:
      "sorts cells at −0 and 0 as equal and then compares the bytes of neighbours to find the newest: −0 and 0 are two " +
      "cells, but where an older 0 has a −0 before it, it stays; of three writes to 0, −0 and 0 global order answers all three",
    ours: "−0 and 0 are two cells of one place: each is there once, the newest",
    kept: "−0 is a coordinate like others, but a place is written at −0 or at 0, not at both",
    reproduce: `
s = dict(sparse=1, dims=[D('y', 'float64', -1.0, 1.0, 1.0)], attrs=[A('a', 'int32')])
e.create(u, s)
for t, z in ((1, 0.0), (2, -0.0), (3, 0.0)):
    e.write(u, s, 'unordered', {'y': [z], 'a': [t]}, None, t)
return len(show(e, u, 'global-order')['a']) == 3`,
  },
  {
    name: "cells of the same millisecond",
    engine:
      "of equal cells of one time answers the later fragment's in global order and in none, and either in row and " +
      "column order; after consolidation the older one, where they lie in different tiles",
    ours: "the later fragment's, by name; of a consolidated fragment the first, which was the newest",
    kept: "such arrays are read in global order and in none, and not consolidated",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32')], capacity=1)
e.create(u, s)
for k in (1, 2):
    e.write(u, s, 'unordered', {'x': [1, 2], 'a': [k, k]}, None, 5)
e.consolidate(u)
return show(e, u, 'row-major')['a'] != show(e, u, 'global-order')['a']`,
  },
  {
    name: "two fragments of the same millisecond among more than 16",
    engine:
      "sorts the fragments of an array by their times alone, and more than 16 of them in no particular order: of two of one " +
      "time another one than the last by name counts as the newest, in dense and in sparse arrays",
    ours:
      "the last by name; fragments that may hold the same cell have a millisecond each, or no cell twice where a moment was " +
      "given. A write at the moment of another one is refused if it has the same dense cells and the array more than 16 " +
      "fragments, and else warned about",
    kept: "arrays in which a cell is written more than once at one moment have at most 16 fragments",
    reproduce: `
import os
fields = dict(dims=[D('x', 'int32', 0, 99, 5)], attrs=[A('a', 'int32')])
wrong = 0
for sparse in (0, 1):
    s = dict(fields, sparse=sparse)
    def write(v, x, a, t):
        cells = {'x': [x], 'a': [a]} if sparse else {'a': [a]}
        e.write(v, s, 'unordered' if sparse else 'row-major', cells, None if sparse else [(x, x)], t)
    for at in range(20):
        v = u + str(sparse) + '_' + str(at)
        e.create(v, s)
        written = {}
        for k in range(20):
            for a in (1, 2) if k == at else (0,):
                before = set(os.listdir(v + '/__commits'))
                write(v, 50 if k == at else k, a, 10 + k)
                if k == at:
                    (name,) = set(os.listdir(v + '/__commits')) - before
                    written[name] = a
        newest = written[max(written)]
        wrong += show(e, v, 'global-order' if sparse else 'row-major', [[(50, 50)]])['a'] != [newest]
return wrong > 0`,
  },
  {
    name: "an attribute added again with other cells or filters",
    engine:
      "reads the old fragments' tiles as if they held the new cells: bytes of another type, and memory beyond the tile " +
      "if the new cell is larger; a nullable one cannot be read at all; other filters undo the old ones' work wrongly",
    ours:
      "old cells of another type, number or size are another attribute's: the fill value; filters are the fragment's own",
    kept: "such a column has to be readable, its cells are not compared",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int32'), A('b', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': [1, 2, 3, 4], 'b': [1, 2, 3, 4]}, [(1, 4)])
e.evolve(u, [('drop', 'b')])
e.evolve(u, [('add', A('b', 'int64', 2))])
return show(e, u, 'row-major', [[(1, 4)]])['b'][0] == [str(1 + 2 * 2 ** 32), str(3 + 4 * 2 ** 32)]`,
  },
  {
    name: "dense fragments between that lack an attribute",
    engine:
      "of an attribute that was dropped and added again, fragments of the time without it let older cells show through " +
      "in tiles that they cover in part, and hide them in tiles that they cover whole",
    ours: "the newest fragment that covers a cell counts: the fill value",
    kept: "such a column has to be readable, its cells are not compared",
    reproduce: `
b = A('b', 'int32')
s = dict(dims=[D('x', 'int32', 1, 8, 4)], attrs=[A('a', 'int32'), b])
e.create(u, s)
e.write(u, s, 'row-major', {'a': [1] * 8, 'b': [1] * 8}, [(1, 8)])
e.evolve(u, [('drop', 'b')])
e.write(u, dict(s, attrs=s['attrs'][:1]), 'row-major', {'a': [2] * 6}, [(3, 8)])
e.evolve(u, [('add', b)])
return show(e, u, 'row-major', [[(1, 8)]])['b'] == [1] * 4 + [-2 ** 31] * 4`,
  },
  {
    name: "encrypted arrays that evolve",
    engine: "writes the new schema in the plain, and cannot open the array any more, with the key or without",
    ours: "schemas are encrypted as their array is",
    kept: "the engine does not evolve what is encrypted",
    reproduce: `
k = e.keyed(b'0123456789abcdeF0123456789abcdeF')
k.create(u, dict(dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int32')]))
k.evolve(u, [('add', A('b', 'int32'))])
try:
    k.close(k.open(u))
except EngineError:
    return True
return False`,
  },
  {
    name: "deletes with a null test",
    engine: "writes them, and cannot read the array any more (“value size mismatch”)",
    ours: "they delete",
    kept: "the read has to succeed, its cells are not compared",
    says: "value size mismatch",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32', nullable=1)])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2, 3], 'a': ([3, 100, 4000], [1, 0, 1])}, None, 5)
e.delete(u, ('a', 'ne', None, 'int32'), 6)
try:
    show(e, u, 'row-major')
except EngineError:
    return True
return False`,
  },
  {
    name: "XOR behind a filter that leaves an odd number of bytes",
    engine: "drops the last bytes when it writes, and cannot read what it wrote",
    ours: "a FormatError: the bytes are gone",
    kept: "XOR comes first in a chain",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32', filters=['gzip', 'xor'])])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2, 3], 'a': [3, 100, 4000]}, None, 5)
try:
    show(e, u, 'row-major')
except EngineError:
    return True
return False`,
  },
  {
    name: "bit width reduction of a var-sized tile without a byte",
    engine: "divides by zero and dies when it writes",
    ours: "nothing to read",
    kept: "a case whose writer died is tried again with other choices",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int64', 'var', filters=['bit_width_reduction'])], capacity=1)
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'a': [[], [3]]}, None, 5)
return False`,
  },
  {
    name: "delta filters, and a checksum behind XOR, of a var-sized tile without a byte",
    engine: "writes them, and cannot read them (“Write would overflow buffer”, “no current buffer”)",
    ours: "empty cells",
    kept: "the read has to succeed, its cells are not compared",
    says: "Write would overflow buffer|no current buffer",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int64', 'var', filters=['delta'])], capacity=1)
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'a': [[], [3]]}, None, 5)
try:
    show(e, u, 'row-major')
except EngineError:
    return True
return False`,
  },
  {
    name: "a dense tile without a byte of its var-sized cells",
    engine: "dies when it writes one, where the array has nullable attributes too",
    ours: "empty cells",
    kept: "a case whose writer died is tried again with other choices",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 11, 3)], attrs=[A('i', 'int32'), A('s', 'string_ascii', 'var'), A('z', 'float32', nullable=1)])
e.create(u, s)
e.write(u, s, 'row-major', {'i': [1, 1], 's': [b'abcde', b''], 'z': ([1, 1], [1, 1])}, [(6, 7)], 1)
return False`,
  },
  {
    name: "a range of strings beside a dimension with tiles",
    engine:
      "takes the first and last string of a stretch of a tile for the least and greatest; where space tiles of another " +
      "dimension order the cells they are not, and cells in the range are lost, in every order",
    ours: "the cells that lie in the range",
    kept: "a read that has fewer cells than the whole array has in these ranges is dropped",
    reproduce: `
s = dict(sparse=1, dims=[D('s', 'string_ascii', None, None, None), D('y', 'int32', 1, 9, 1)], attrs=[A('a', 'int32')], cell_order='row-major')
e.create(u, s)
cells = [('a', 3), ('b', 3), ('c', 3), ('c', 4), ('e', 4), ('a', 6), ('b', 6), ('e', 6), ('a', 7), ('a', 8), ('c', 8), ('d', 8),
         ('e', 8), ('a', 9), ('b', 9), ('c', 9), ('e', 9)]
found = []
for n in range(2, len(cells) + 1):
    v = u + str(n)
    e.create(v, s)
    part = cells[-n:]
    e.write(v, s, 'unordered', {'s': [c.encode() for c, _ in part], 'y': [y for _, y in part], 'a': list(range(n))}, None, 1)
    want = sum(c <= 'c' for c, _ in part)
    found.append(len(show(e, v, 'global-order', [[(b'a', b'c')], None])['a']) < want)
return any(found)`,
  },
  {
    name: "conditions on dense cells that are read in another order than they lie in",
    engine:
      "in two dimensions or more, compares the coordinates of other cells than it reads; where two fragments share a " +
      "tile, it takes other cells for null too",
    ours: "the cells that fulfil the condition",
    kept: "such conditions have neither dimensions nor tests of null",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 2, 2), D('y', 'int32', 1, 3, 3)], attrs=[A('a', 'int32'), A('n', 'int32', nullable=1)], cell_order='col-major')
e.create(u, s)
e.write(u, s, 'row-major', {'a': [1, 2, 3, 4, 5, 6], 'n': ([1] * 6, [1, 0, 1, 1, 1, 0])}, [(1, 2), (1, 3)], 1)
e.write(u, s, 'row-major', {'a': [7, 8], 'n': ([1] * 2, [1, 0])}, [(1, 2), (3, 3)], 2)
read = lambda where: [v for v in show(e, u, 'row-major', [[(1, 2)], [(1, 3)]], where)['a'] if v > 0]
return read(('x', 'eq', 1, 'int32')) == [1] and read(('n', 'eq', None, 'int32')) == [2, 7, 8]`,
  },
  {
    name: "zeros and NaN in sets of floats",
    engine: "compares the bits: −0 is not in [0.0], though it is equal to 0.0; a NaN is in a set of the same NaN",
    ours: "what is equal to a member is in the set; NaN is in none. Deletes keep both zeros",
    kept: "sets of floats hold neither",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('f', 'float64')])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'f': [0.0, -0.0]}, None, 1)
return show(e, u, 'row-major', None, ('f', 'in', [0.0], 'float64'))['x'] == [1] and show(e, u, 'row-major', None, ('f', 'eq', 0.0, 'float64'))['x'] == [1, 2]`,
  },
  {
    name: "conditions on cells of char of one size",
    engine: "compares the first character only, as a signed number",
    ours: "text is compared as bytes, all of it; deletes that would mean something else to the engine are refused",
    kept: "cells of one character are compared with one character, longer ones with nothing",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('c', 'char', 2)])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'c': [[97, 98], [97, 99]]}, None, 1)
return show(e, u, 'row-major', None, ('c', 'eq', b'ab', 'char'))['x'] == [1, 2]`,
  },
  {
    name: "cells that are another than a value that their enumeration lacks",
    engine:
      'in sparse arrays answers null cells too, though a null is another than nothing else; dense arrays and "not in" do not',
    ours: "a null fulfils no comparison",
    kept: "nullable enumerated attributes of sparse arrays are compared with values that their enumeration has",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('c', 'int32', enum='e', nullable=1)], enums=[dict(name='e', type='string_ascii', num='var', values=[b'a', b'b'])])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'c': ([0, 0], [1, 0])}, None, 1)
return show(e, u, 'row-major', None, ('c', 'ne', b'z', 'string_ascii'))['x'] == [1, 2] and show(e, u, 'row-major', None, ('c', 'ne', b'b', 'string_ascii'))['x'] == [1]`,
  },
  {
    name: "sets without a byte",
    engine:
      "refuses a set of nothing but the empty text; a delete by a set of values of which an enumeration has none is written, " +
      "and the array cannot be read any more",
    ours: "they are sets like others; deletes keep a comparison with the empty text, or nothing",
    kept: "such queries are not compared; deletes are by values that their enumeration has",
    says: "set membership data size must be greater than zero",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('c', 'int32', enum='e')], enums=[dict(name='e', type='string_ascii', num='var', values=[b'a', b'b'])])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'c': [0, 1]}, None, 1)
e.delete(u, ('or', [('c', 'in', [b'z'], 'string_ascii'), ('x', 'eq', 1, 'int32')]), 2)
try:
    show(e, u, 'row-major')
except EngineError:
    return True
return False`,
  },
  {
    name: "conditions at a time before a delete that a consolidated fragment has behind it",
    engine: "cannot read (“processed condition set metadata that's not present”)",
    ours: "the cells that fulfil the condition at that time",
    kept: "such queries are not compared",
    says: "processed condition set metadata that's not present",
    reproduce: `
s = dict(sparse=1, dups=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'a': [1, 2]}, None, 1)
e.write(u, s, 'unordered', {'x': [3], 'a': [3]}, None, 2)
e.delete(u, ('a', 'eq', 1, 'int32'), 5)
e.consolidate(u)
try:
    show(e, u, 'row-major', None, ('a', 'gt', 0, 'int32'), 3)
except EngineError:
    return True
return False`,
  },
  {
    name: "conditions and deletes by an attribute that is younger than some cells",
    engine:
      "in sparse arrays none of the cells of a fragment that lacks the attribute fulfils a comparison with it, not even with " +
      'its fill value or null, and what stands before it in an "or" is forgotten; dense arrays cannot be read so. A delete ' +
      "keeps which cells stay, so that it takes all cells of such a fragment",
    ours:
      "these cells have the fill value, or null, as they are read; deletes that look at such an attribute are refused, and " +
      "those that an engine wrote take the cells that fulfil their condition",
    kept: "conditions look at attributes that all fragments have",
    reproduce: `
b = A('b', 'int32')
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'a': [1, 2]}, None, 1)
e.evolve(u, [('add', b)])
t = dict(s, attrs=s['attrs'] + [b])
e.write(u, t, 'unordered', {'x': [3], 'a': [3], 'b': [3]}, None)
either = show(e, u, 'row-major', None, ('or', [('a', 'eq', 1, 'int32'), ('b', 'eq', 3, 'int32')]))['x']
e.delete(u, ('b', 'eq', 100, 'int32'))
return either == [3] and show(e, u, 'row-major')['x'] == [3]`,
  },
  {
    name: "text that goes through RLE or the dictionary twice",
    engine: "writes it, and cannot read it",
    ours: "a FormatError: the engine cuts it where the first one's lengths are",
    kept: "text goes through them once",
    reproduce: `
lost = 0
for f in ('rle', 'dictionary'):
    s = dict(sparse=1, dims=[D('x', 'string_ascii', None, None, None, filters=[f, f])], attrs=[A('a', 'int64')])
    e.create(u + f, s)
    e.write(u + f, s, 'unordered', {'x': [b'a', b'aa', b'b'], 'a': [1, 2, 3]}, None, 1)
    try:
        show(e, u + f, 'row-major')
    except EngineError:
        lost += 1
return lost == 2`,
  },
  {
    name: "the count of dense cells that fulfil a condition",
    engine: "counts all cells of the region, fulfil they the condition or not",
    ours: "the written cells that fulfil it",
    kept: "the count is compared with the cells that the engine answers",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': [1, 2]}, [(1, 2)], 1)
return ask(e, u, 'a', ['count'], [[(1, 4)]], ('a', 'gt', 1, 'int32')) == {'count': 4}`,
  },
  {
    name: "aggregates of no cell",
    engine: "minimum and maximum are 0 and the mean is NaN, but null of nullable attributes, and so is their sum",
    ours: "minimum, maximum and mean are null, the sum is 0",
    kept: "such aggregates are compared with what ours should be",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int32'), A('n', 'int32', nullable=1)])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1], 'a': [1], 'n': ([1], [1])}, None, 1)
return ask(e, u, 'a', ['min', 'mean'], [[(2, 4)]]) == {'min': 0, 'mean': 'NaN'} and ask(e, u, 'n', ['sum'], [[(2, 4)]]) == {'sum': None}`,
  },
  {
    name: "aggregates of NaN and infinities",
    engine:
      "starts anew behind a NaN, so that the cells before it are no minimum; a sum with an infinity is the largest number",
    ours: "a NaN is neither minimum nor maximum; sums are those of IEEE 754",
    kept: "such aggregates are compared with the cells that the engine answers",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('f', 'float64')])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2, 3], 'f': [5.0, float('nan'), 7.0]}, None, 1)
v = u + '2'
e.create(v, s)
e.write(v, s, 'unordered', {'x': [1, 2], 'f': [float('inf'), 1.0]}, None, 1)
return ask(e, u, 'f', ['min']) == {'min': 7.0} and ask(e, v, 'f', ['sum']) == {'sum': 1.7976931348623157e308}`,
  },
  {
    name: "sums beyond 64 bits",
    engine:
      "stop at the limit, also on their way; means are then of the stopped sum, or the largest number, and nullable " +
      "attributes have none",
    ours: "sums stop at the limits only in the end, means are exact",
    kept: "such aggregates are compared with the cells that the engine answers",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int64')])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2, 3], 'a': [2 ** 63 - 1, 2 ** 63 - 1, -5]}, None, 1)
return ask(e, u, 'a', ['mean'])['mean'] < 4e18`,
  },
  {
    name: "the mean of dense tiles in part",
    engine: "divides the sum of the written cells by the number of all cells of the tile",
    ours: "the mean of the written cells",
    kept: "such aggregates are compared with the cells that the engine answers",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': [6] * 6}, [(3, 8)], 1)
return ask(e, u, 'a', ['mean'], [[(1, 10)]]) == {'mean': 3.6}`,
  },
  {
    name: "statistics of dense text",
    engine: "has wrong minima, maxima and null counts of tiles that were written in part, and answers with them",
    ours: "they are not relied on",
    kept: "such aggregates are compared with the cells that the engine answers",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('s', 'string_ascii', 'var', nullable=1)])
e.create(u, s)
e.write(u, s, 'row-major', {'s': ([b'b', b'c', b'd', b'e', b'f', b'g'], [1] * 6)}, [(3, 8)], 1)
return ask(e, u, 's', ['min', 'nullCount'], [[(1, 10)]]) == {'min': 'd', 'nullCount': 2}`,
  },
  {
    name: "null counts of cells that have no minimum",
    engine: "cannot count the nulls of UTF-8 and of cells of several values (“tile min metadata that's not present”)",
    ours: "they are counted",
    kept: "such aggregates are compared with the cells that the engine answers",
    says: "tile min metadata that's not present",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('s', 'string_utf8', 'var', nullable=1)])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 's': ([b'a', b'b'], [1, 0])}, None, 1)
try:
    ask(e, u, 's', ['nullCount'])
except EngineError:
    return True
return False`,
  },
  {
    name: "consolidation of a dense array with a current domain",
    engine:
      "writes a tile of the cells in the current domain only, and cannot read it (“Incorrect unfiltered tile size”)",
    ours: "a fragment with a tile of too few cells is a FormatError",
    kept: "such arrays are not consolidated",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32')], current_domain=[(2, 4)])
e.create(u, s)
for t in (1, 2):
    e.write(u, s, 'row-major', {'a': [t] * 3}, [(2, 4)], t)
e.consolidate(u)
try:
    show(e, u, 'row-major', [[(2, 4)]])
except EngineError:
    return True
return False`,
  },
  {
    name: "dense tiles of three dimensions of 8 bits",
    engine:
      "counts their cells in 8 bits, where the first two extents are 256 cells or more, and can neither write nor read them",
    ours: "tiles like others",
    kept: "what we write for the engine has extents of at most 11 there",
    reproduce: `
s = dict(dims=[D(n, 'uint8', 0, 2 * x - 1, x) for n, x in zip('xyz', (20, 13, 9))], attrs=[A('a', 'int32')])
e.create(u, s)
try:
    e.write(u, s, 'row-major', {'a': [0] * 2340}, [(0, 19), (0, 12), (0, 8)], 1)
except EngineError:
    return True
return False`,
  },
  {
    name: "windows of what a filter before has made small",
    engine: "divides by zero and dies when bit width reduction or positive delta write fewer bytes than one value has",
    ours: "the bytes as they are; the engine reads them",
    kept: "it does not consolidate such arrays, and a case whose writer died is tried again with other choices",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int64', filters=['bit_width_reduction', 'positive_delta'])])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2, 3], 'a': [3, 3, 3]}, None, 5)
return False`,
  },
]
