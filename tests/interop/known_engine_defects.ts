/**
 * Defects of the real engine 2.30 that this sample found. The generated arrays and reads avoid these cases, and only
 * these. Each defect has a few lines of Python that show it: `deno task interop --defects` runs them.
 */

/** A defect of the engine. */
export interface EngineDefect {
  readonly name: string
  /** The behavior of the engine. */
  readonly engine: string
  /** The behavior of tessera. */
  readonly ours: string
  /** How the sample avoids the defect. */
  readonly workaround: string
  /**
   * The engine's error message, as a regular expression: reads that fail with it are not compared; any other error is a
   * failure.
   */
  readonly message?: string
  /**
   * Python that returns whether the defect still exists. In scope: `e` (the engine), `u` (a new path), `A`, `D`,
   * `show(e, u, layout, ranges, where, end)` and `ask(e, u, field, aggregates, ranges, where)`. A crash counts as true.
   */
  readonly reproduce: string
}

/** All known defects. */
export const knownEngineDefects: ReadonlyArray<EngineDefect> = [
  {
    name: "commits with vacuumed deletes",
    engine:
      "cannot consolidate commits again after the commits of deletes were consolidated and vacuumed: it reads the " +
      "removed files of the deletes",
    ours: "copies the conditions of deletes from the consolidated file",
    workaround: "the engine consolidates no commits of arrays with deletes",
    reproduce: `
import numpy as np
import tiledb
dim = tiledb.Dim('x', domain=(0, 99), tile=10, dtype=np.int32)
tiledb.Array.create(u, tiledb.ArraySchema(
    domain=tiledb.Domain(dim), attrs=[tiledb.Attr('v', dtype=np.int64)], sparse=True))
config = tiledb.Config({'sm.consolidation.mode': 'commits', 'sm.vacuum.mode': 'commits'})
for time in (1010, 1020, 1030):
    with tiledb.open(u, 'w', timestamp=time) as array:
        array[np.array([time - 1000], dtype=np.int32)] = np.array([time])
with tiledb.open(u, 'd', timestamp=1025) as array:
    array.query(cond='v == 1010').submit()
tiledb.consolidate(u, config=config)
tiledb.vacuum(u, config=config)
with tiledb.open(u, 'w', timestamp=1040) as array:
    array[np.array([50], dtype=np.int32)] = np.array([5])
try:
    tiledb.consolidate(u, config=config)
except tiledb.TileDBError as x:
    return 'Cannot get file size' in str(x)
return False`,
  },
  {
    name: "incomplete reads in Hilbert order",
    engine:
      "needs more than 20 GB of memory, or fails with bad_alloc, for a read in Hilbert order whose buffers are too " +
      "small, if the domain spans the whole datatype and many cells have the same coordinates",
    ours: "streams in the memory budget",
    workaround: "arrays in Hilbert order are read with buffers of 1 MiB",
    reproduce: `
import resource
from oracle import record
low = -9223372036854775806
s = dict(dims=[D('x', 'int64', low, -low, None)], attrs=[A('a', 'int64'), A('t', 'string_ascii', 'var')], sparse=True,
         cell_order='hilbert', capacity=100, dups=True)
e.create(u, s)
n = 3000
x = [low if i % 3 else low + i * 3000000000000000 for i in range(n)]
e.write(u, s, 'unordered', {'x': x, 'a': [0] * n, 't': [b'q' * (i % 9) for i in range(n)]})
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
a = e.open(u)
try:
    record.read(e, a, record.schema(e, e.new('array_get_schema', a)), 'row-major', capacity=4096)
except EngineError as x:
    return 'bad_alloc' in str(x)
return False`,
  },
  {
    name: "unordered dense reads",
    engine: "returns random data, or writes beyond its buffers, for a dense read with the layout TILEDB_UNORDERED",
    ours: "unordered dense reads are in row-major order",
    workaround: "dense arrays are read in row-major, column-major and global order",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 4, 2), D('y', 'int32', 1, 4, 2)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': list(range(1, 17))}, [(1, 4), (1, 4)], 1)
return sorted(show(e, u, 'unordered', [[(1, 4)], [(1, 3)]])['a']) != [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]`,
  },
  {
    name: "unsorted or overlapping dense ranges",
    engine:
      "returns the ranges one by one, with duplicate cells; with var-sized or nullable attributes it corrupts its memory and crashes",
    ours: "ranges are sorted and merged first: each cell once, in order",
    workaround: "the engine reads the sorted, merged ranges, tessera the original ranges",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': list(range(1, 11))}, [(1, 10)], 1)
return show(e, u, 'row-major', [[(2, 4), (3, 6)]])['a'] == [2, 3, 4, 3, 4, 5, 6]`,
  },
  {
    name: "overlapping sparse ranges",
    engine:
      "returns a cell once for each range that contains it in row-major and column-major order, but once in global order and " +
      "unordered; with one dimension, row-major and column-major order return the ranges in the order of the query, with two " +
      "dimensions they do not",
    ours: "each cell once, in order",
    workaround: "the engine reads the sorted, merged ranges, tessera the original ranges",
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
      "sorts cells at −0 and 0 as equal and then compares the bytes of adjacent cells to find the newest: −0 and 0 are two " +
      "cells, but an older 0 after a −0 is not removed; after three writes to 0, −0 and 0, global order returns all three",
    ours: "−0 and 0 are two cells that sort as equal: the newest of each is returned once",
    workaround: "−0 is used as a coordinate, but no array has cells at both −0 and 0",
    reproduce: `
s = dict(sparse=1, dims=[D('y', 'float64', -1.0, 1.0, 1.0)], attrs=[A('a', 'int32')])
e.create(u, s)
for t, z in ((1, 0.0), (2, -0.0), (3, 0.0)):
    e.write(u, s, 'unordered', {'y': [z], 'a': [t]}, None, t)
return len(show(e, u, 'global-order')['a']) == 3`,
  },
  {
    name: "cells with the same timestamp",
    engine:
      "of duplicate cells with the same timestamp, returns the later fragment's in global order and unordered, and either one " +
      "in row-major and column-major order; after consolidation, the older one if they are in different tiles",
    ours:
      "the cell of the fragment with the later name; in a consolidated fragment the first one, which was the newest",
    workaround: "such arrays are read in global order and unordered, and not consolidated",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32')], capacity=1)
e.create(u, s)
for k in (1, 2):
    e.write(u, s, 'unordered', {'x': [1, 2], 'a': [k, k]}, None, 5)
e.consolidate(u)
return show(e, u, 'row-major')['a'] != show(e, u, 'global-order')['a']`,
  },
  {
    name: "two fragments with the same timestamp among more than 16",
    engine:
      "sorts the fragments of an array by timestamp only, with an unstable sort if there are more than 16. If two fragments " +
      "have the same timestamp, the last one by name does not always count as the newest, in dense and in sparse arrays",
    ours:
      "the last by name counts. Fragments that may contain the same cell get distinct timestamps; with an explicit timestamp, " +
      "they contain no cell twice. A write with the timestamp of another fragment is refused if both have the same dense cells " +
      "and the array has more than 16 fragments; otherwise it reports a warning",
    workaround: "arrays with several writes of a cell at the same timestamp have at most 16 fragments",
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
    name: "an attribute added again with another cell type or other filters",
    engine:
      "reads the tiles of old fragments as if they contained the new cells: bytes of another type, and memory beyond the tile " +
      "if the new cell is larger; a nullable attribute cannot be read at all; the new filters are applied to old tiles",
    ours:
      "old cells of another type, number or size belong to another attribute: they read as the fill value; each fragment uses its own filters",
    workaround: "such a column must be readable, but its cells are not compared",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int32'), A('b', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': [1, 2, 3, 4], 'b': [1, 2, 3, 4]}, [(1, 4)])
e.evolve(u, [('drop', 'b')])
e.evolve(u, [('add', A('b', 'int64', 2))])
return show(e, u, 'row-major', [[(1, 4)]])['b'][0] == [str(1 + 2 * 2 ** 32), str(3 + 4 * 2 ** 32)]`,
  },
  {
    name: "dense fragments without an attribute that was dropped and added again",
    engine:
      "if an attribute was dropped and added again, fragments written in between show older cells of it in tiles that they " +
      "cover partly, and hide them in tiles that they cover completely",
    ours: "the newest fragment that covers a cell counts: the cell has the fill value",
    workaround: "such a column must be readable, but its cells are not compared",
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
    name: "evolution of encrypted arrays",
    engine: "writes the new schema unencrypted, and can no longer open the array, with or without the key",
    ours: "schemas are encrypted with the key of the array",
    workaround: "the engine does not evolve encrypted arrays",
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
    engine: "writes them, and can no longer read the array (“value size mismatch”)",
    ours: "they delete the matching cells",
    workaround: "the read must succeed, but its cells are not compared",
    message: "value size mismatch",
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
    name: "XOR after a filter whose output has an odd number of bytes",
    engine: "drops the last bytes when it writes, and cannot read what it wrote",
    ours: "a FormatError: the bytes are lost",
    workaround: "XOR is the first filter of a pipeline",
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
    name: "bit width reduction of an empty var-sized tile",
    engine: "divides by zero and crashes during the write",
    ours: "the engine cannot write such arrays",
    workaround: "a case whose writer crashed is repeated with other choices",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int64', 'var', filters=['bit_width_reduction'])], capacity=1)
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'a': [[], [3]]}, None, 5)
return False`,
  },
  {
    name: "delta filters, or XOR followed by a checksum, on an empty var-sized tile",
    engine: "writes them, and cannot read them (“Write would overflow buffer”, “no current buffer”)",
    ours: "empty cells",
    workaround: "the read must succeed, but its cells are not compared",
    message: "Write would overflow buffer|no current buffer",
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
    name: "a dense tile whose var-sized cells are all empty",
    engine: "crashes during the write if the array also has nullable attributes",
    ours: "empty cells",
    workaround: "a case whose writer crashed is repeated with other choices",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 11, 3)], attrs=[A('i', 'int32'), A('s', 'string_ascii', 'var'), A('z', 'float32', nullable=1)])
e.create(u, s)
e.write(u, s, 'row-major', {'i': [1, 1], 's': [b'abcde', b''], 'z': ([1, 1], [1, 1])}, [(6, 7)], 1)
return False`,
  },
  {
    name: "a range of strings next to a dimension with tiles",
    engine:
      "assumes that the first and last string in a section of a tile are the minimum and maximum; if space tiles of another " +
      "dimension determine the order of the cells they are not, and cells in the range are lost, in every order",
    ours: "all cells in the range",
    workaround: "a read with fewer cells than a read of the entire array has in these ranges is dropped",
    reproduce: `
s = dict(sparse=1, dims=[D('s', 'string_ascii', None, None, None), D('y', 'int32', 1, 9, 1)], attrs=[A('a', 'int32')], cell_order='row-major')
e.create(u, s)
cells = [('a', 3), ('b', 3), ('c', 3), ('c', 4), ('e', 4), ('a', 6), ('b', 6), ('e', 6), ('a', 7), ('a', 8), ('c', 8), ('d', 8),
         ('e', 8), ('a', 9), ('b', 9), ('c', 9), ('e', 9)]
lost = []
for n in range(2, len(cells) + 1):
    v = u + str(n)
    e.create(v, s)
    part = cells[-n:]
    e.write(v, s, 'unordered', {'s': [c.encode() for c, _ in part], 'y': [y for _, y in part], 'a': list(range(n))}, None, 1)
    count = sum(c <= 'c' for c, _ in part)
    lost.append(len(show(e, v, 'global-order', [[(b'a', b'c')], None])['a']) < count)
return any(lost)`,
  },
  {
    name: "conditions on dense cells that are read in an order other than the cell order",
    engine:
      "with two or more dimensions, compares the coordinates of the wrong cells; if two fragments share a tile, it also treats " +
      "the wrong cells as null",
    ours: "the cells that match the condition",
    workaround: "such conditions contain neither dimensions nor null tests",
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
    ours: "a value equal to a member is in the set; NaN is never in a set. Deletes write both zeros",
    workaround: "sets of floats contain neither zeros nor NaN",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('f', 'float64')])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'f': [0.0, -0.0]}, None, 1)
return show(e, u, 'row-major', None, ('f', 'in', [0.0], 'float64'))['x'] == [1] and show(e, u, 'row-major', None, ('f', 'eq', 0.0, 'float64'))['x'] == [1, 2]`,
  },
  {
    name: "conditions on fixed-size char cells",
    engine: "compares the first character only, as a signed number",
    ours: "all bytes of the text are compared; deletes that the engine would interpret differently are refused",
    workaround: "cells of one character are compared with one character; conditions do not use longer cells",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('c', 'char', 2)])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'c': [[97, 98], [97, 99]]}, None, 1)
return show(e, u, 'row-major', None, ('c', 'eq', b'ab', 'char'))['x'] == [1, 2]`,
  },
  {
    name: "comparison “not equal” with a value that the enumeration lacks",
    engine:
      'sparse arrays return null cells too, although a null never matches "not equal"; dense arrays and "not in" do not',
    ours: "a null matches no comparison",
    workaround: "nullable enumerated attributes of sparse arrays are compared with values of their enumeration only",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('c', 'int32', enum='e', nullable=1)], enums=[dict(name='e', type='string_ascii', num='var', values=[b'a', b'b'])])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2], 'c': ([0, 0], [1, 0])}, None, 1)
return show(e, u, 'row-major', None, ('c', 'ne', b'z', 'string_ascii'))['x'] == [1, 2] and show(e, u, 'row-major', None, ('c', 'ne', b'b', 'string_ascii'))['x'] == [1]`,
  },
  {
    name: "sets without a byte of data",
    engine:
      "refuses a set that contains only the empty text; writes a delete by a set without any value of the enumeration, but " +
      "can no longer read the array",
    ours: "they are normal sets; deletes write a comparison with the empty text, or an empty condition",
    workaround: "such queries are not compared; deletes use values of the enumeration only",
    message: "set membership data size must be greater than zero",
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
    name: "conditions at a timestamp before a delete that is included in a consolidated fragment",
    engine: "cannot read (“processed condition set metadata that's not present”)",
    ours: "the cells that match the condition at that time",
    workaround: "such queries are not compared",
    message: "processed condition set metadata that's not present",
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
    name: "conditions and deletes by an attribute that was added after some cells were written",
    engine:
      "in sparse arrays no cell of a fragment without the attribute matches a comparison with it, not even with the fill value " +
      'or null, and the preceding operands of an "or" are ignored; dense arrays cannot be read with such a condition. A delete ' +
      "selects the remaining cells, so it deletes all cells of such a fragment",
    ours:
      "these cells have the fill value, or null, as in reads; deletes that use such an attribute are refused, and deletes that " +
      "an engine wrote delete the cells that match their condition",
    workaround: "conditions use attributes that all fragments have",
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
    name: "text that is filtered by RLE or the dictionary twice",
    engine: "writes it, and cannot read it",
    ours: "a FormatError: the engine cuts the text at the lengths of the first filter",
    workaround: "text is filtered by them only once",
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
    name: "the count of dense cells that match a condition",
    engine: "counts all cells of the region, matching or not",
    ours: "the written cells that match it",
    workaround: "the count is compared with the cells that the engine returns",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': [1, 2]}, [(1, 2)], 1)
return ask(e, u, 'a', ['count'], [[(1, 4)]], ('a', 'gt', 1, 'int32')) == {'count': 4}`,
  },
  {
    name: "aggregates of an empty selection",
    engine: "minimum and maximum are 0 and the mean is NaN; for nullable attributes, they and the sum are null",
    ours: "minimum, maximum and mean are null, the sum is 0",
    workaround: "such aggregates are compared with the values that tessera should return",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int32'), A('n', 'int32', nullable=1)])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1], 'a': [1], 'n': ([1], [1])}, None, 1)
return ask(e, u, 'a', ['min', 'mean'], [[(2, 4)]]) == {'min': 0, 'mean': 'NaN'} and ask(e, u, 'n', ['sum'], [[(2, 4)]]) == {'sum': None}`,
  },
  {
    name: "aggregates of NaN and infinities",
    engine:
      "restarts after a NaN, so the minimum ignores the cells before it; a sum with an infinity is the largest finite number",
    ours: "NaN is ignored by minimum and maximum; sums follow IEEE 754",
    workaround: "such aggregates are compared with the cells that the engine returns",
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
      "sums saturate at the limit, also while adding; means then use the saturated sum, or are the largest number, and are " +
      "missing for nullable attributes",
    ours: "only the final sum saturates; means are exact",
    workaround: "such aggregates are compared with the cells that the engine returns",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 4, 4)], attrs=[A('a', 'int64')])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2, 3], 'a': [2 ** 63 - 1, 2 ** 63 - 1, -5]}, None, 1)
return ask(e, u, 'a', ['mean'])['mean'] < 4e18`,
  },
  {
    name: "the mean of partly written dense tiles",
    engine: "divides the sum of the written cells by the number of all cells in the tile",
    ours: "the mean of the written cells",
    workaround: "such aggregates are compared with the cells that the engine returns",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int32')])
e.create(u, s)
e.write(u, s, 'row-major', {'a': [6] * 6}, [(3, 8)], 1)
return ask(e, u, 'a', ['mean'], [[(1, 10)]]) == {'mean': 3.6}`,
  },
  {
    name: "statistics of dense text",
    engine: "writes wrong minima, maxima and null counts for partly written tiles, and returns them",
    ours: "these statistics are not used",
    workaround: "such aggregates are compared with the cells that the engine returns",
    reproduce: `
s = dict(dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('s', 'string_ascii', 'var', nullable=1)])
e.create(u, s)
e.write(u, s, 'row-major', {'s': ([b'b', b'c', b'd', b'e', b'f', b'g'], [1] * 6)}, [(3, 8)], 1)
return ask(e, u, 's', ['min', 'nullCount'], [[(1, 10)]]) == {'min': 'd', 'nullCount': 2}`,
  },
  {
    name: "null counts of cells without a minimum",
    engine: "cannot count the nulls of UTF-8 cells and of multi-value cells (“tile min metadata that's not present”)",
    ours: "the nulls are counted",
    workaround: "such aggregates are compared with the cells that the engine returns",
    message: "tile min metadata that's not present",
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
      "writes a tile that contains only the cells of the current domain, and cannot read it (“Incorrect unfiltered tile size”)",
    ours: "a tile with too few cells is a FormatError",
    workaround: "such arrays are not consolidated",
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
    name: "dense tiles of three 8-bit dimensions",
    engine:
      "counts the cells in 8 bits if the first two extents have 256 cells or more, and can neither write nor read the tiles",
    ours: "such tiles are written and read",
    workaround: "arrays that tessera writes for the engine have extents of at most 11 in such dimensions",
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
    name: "windows after a filter with a small output",
    engine: "divides by zero and crashes if bit width reduction or positive delta receives fewer bytes than one value",
    ours: "the bytes are stored unchanged; the engine reads them",
    workaround:
      "the engine does not consolidate such arrays, and a case whose writer crashed is repeated with other choices",
    reproduce: `
s = dict(sparse=1, dims=[D('x', 'int32', 1, 10, 5)], attrs=[A('a', 'int64', filters=['bit_width_reduction', 'positive_delta'])])
e.create(u, s)
e.write(u, s, 'unordered', {'x': [1, 2, 3], 'a': [3, 3, 3]}, None, 5)
return False`,
  },
]
