"""The families of cases: each writes and records one or more arrays or groups."""
import os
import time

import numpy as np

from . import record
from .choose import A, D, DATES, DENSE_DIMENSIONS, FLOATS, FORMS, INTS, SPARSE_DIMENSIONS, TIMES, Choose, global_order, take
from .engine import BYTES, DATATYPES, EngineError, npt
from .reads import Reads

KEY = b'0123456789abcdeF0123456789abcdeF'
FAMILIES = []


def family(times=1):
    def add(fn):
        FAMILIES.extend([fn] * times)
        return fn
    return add


class Case:
    """The state of a case. `round` is the number of earlier cases of the same family."""

    def __init__(self, engine, seed, round_, folder):
        self.base = self.e = engine
        self.ch = Choose(seed)
        self.r, self.round, self.dir = self.ch.r, round_, folder
        self.key, self.notes, self.objects = None, [], {}

    def encrypt(self):
        self.key = KEY
        self.e = self.base.keyed(KEY)

    # ---- arrays
    def create(self, s, name='array'):
        uri = os.path.join(self.dir, name)
        self.e.create(uri, s)
        self.objects[name] = dict(uri=uri, dims=s['dims'], pool={'points': [], 'times': []}, few=False)
        return name

    def uri(self, name='array'):
        return self.objects[name]['uri']

    def pool(self, name='array'):
        return self.objects[name]['pool']

    def dense(self, s, box, t=None, layout=None, name='array'):
        n = int(np.prod([hi - lo + 1 for lo, hi in box], dtype=object))
        layout = layout or self.r.choice(['row-major', 'col-major'])
        self.e.write(self.uri(name), s, layout, self.ch.data(s['attrs'], n), box, t)
        self.pool(name)['points'] += [tuple(lo for lo, _ in box), tuple(hi for _, hi in box)]

    def sparse(self, s, n, t=None, layout='unordered', name='array'):
        if s.get('dups'):
            pts = [self.r.choice(self.pool(name)['points']) if self.pool(name)['points'] and self.ch.maybe(.3)
                   else self.ch.place(s['dims']) for _ in range(n)]
            self.pool(name)['points'] += pts
        else:
            pts = self.ch.coordinates(s['dims'], n, self.pool(name)['points'])
        cols = [[p[i] for p in pts] for i in range(len(s['dims']))]
        data = {**{d['name']: c for d, c in zip(s['dims'], cols)}, **self.ch.data(s['attrs'], len(pts))}
        if layout == 'global-order':
            order = global_order(s, cols)
            cut = self.r.randint(1, max(1, len(order) - 1))
            data = [{k: take(v, o) for k, v in data.items()} for o in (order[:cut], order[cut:]) if o]
        self.e.write(self.uri(name), s, layout, data, None, t)

    def box(self, dims, most=600):
        """A random box inside the domain, of not too many cells."""
        out, left = [], most
        for d in dims:
            lo, hi = d.get('within', (d['lo'], d['hi']))
            x, y = sorted([self.r.randint(lo, hi), self.r.randint(lo, hi)])
            y = min(y, x + max(0, left - 1))
            left //= y - x + 1
            out.append((x, y))
        return out

    def whole(self, dims):
        return [d.get('within', (d['lo'], d['hi'])) for d in dims]

    def fill(self, s, fragments, t0=10, step=10, name='array', cells=30, ties=.08):
        """Writes fragments at explicit times; sometimes two at the same time."""
        for i in range(fragments):
            tie = i > 0 and self.ch.maybe(ties)
            t = None if t0 is None else t0 + step * (i - (1 if tie else 0))
            if tie and s.get('sparse') and not s.get('dups'):    # see known_engine_defects.ts
                self.objects[name]['orders'] = ['global-order', 'unordered']
            if s.get('sparse'):
                layout = 'unordered'
                if not s.get('dups') and s.get('cell_order') != 'hilbert' and all(d['type'] != 'string_ascii' for d in s['dims']) \
                        and self.ch.maybe(.25) and all(npt(d['type']).kind != 'f' for d in s['dims']):
                    layout = 'global-order'
                self.sparse(s, self.r.randint(1, cells), t, layout, name)
            else:
                self.dense(s, self.whole(s['dims']) if i == 0 and self.ch.maybe(.5) else self.box(s['dims']), t, name=name)

    def attempt(self, what, fn, *a, **k):
        try:
            fn(*a, **k)
            return True
        except EngineError as x:
            self.notes.append('%s refused: %s' % (what, x))
            return False

    # ---- what is recorded
    def expected(self):
        out = {}
        for name, o in self.objects.items():
            if o.get('group'):
                out[name] = record.group(self.e, o['uri'])
            else:
                out[name] = Reads(self.e, self.ch, o['uri'], o['pool'], o['dims'], self.notes, o.get('skip', ())).everything(o['few'], o.get('orders'))
        return out


# ------------------------------------------------------------------ datatypes
def all_types(c):
    """Each datatype once; its form (fixed, many, var, nullable …) changes by round: six rounds cover all forms."""
    return [c.ch.attribute('a_' + t, t, FORMS[(i + c.round) % len(FORMS)], filters=.3) for i, t in enumerate(DATATYPES)]


@family(2)
def dense_types(c):
    a, b = c.r.choice([(24, 1), (6, 4), (5, 5)])
    s = dict(dims=[c.ch.dense_dimension('x', 'int32', a)] + ([c.ch.dense_dimension('y', 'int32', b)] if b > 1 else []),
             attrs=all_types(c), **c.ch.tuning(False))
    c.create(s)
    c.objects['array']['few'] = True
    c.dense(s, c.whole(s['dims']), 10)
    c.dense(s, c.box(s['dims']), 20)


@family(2)
def sparse_types(c):
    s = dict(sparse=1, dims=[c.ch.sparse_dimension('x', 'int32', 0), c.ch.sparse_dimension('y', 'int64', 0)], attrs=all_types(c), **c.ch.tuning(True))
    s['dups'] = int(c.ch.maybe(.3))
    c.create(s)
    c.objects['array']['few'] = True
    c.fill(s, 2, cells=15)


# ------------------------------------------------------------------ dimensions
@family(4)
def dense_dimensions(c):
    """Four datatypes of dense dimensions per case, with one to four dimensions."""
    for k in range(3):
        ty = DENSE_DIMENSIONS[(3 * c.round + k) % len(DENSE_DIMENSIONS)]
        n = c.r.choice([1, 1, 2, 2, 3, 4])
        dims = [c.ch.dense_dimension('d%d' % i, ty, c.r.randint(1, [40, 12, 6, 4][n - 1])) for i in range(n)]
        s = dict(dims=dims, attrs=c.ch.attributes(2), **c.ch.tuning(False))
        name = c.create(s, 'array_' + ty)
        c.fill(s, c.r.randint(1, 3), name=name)


@family(4)
def sparse_dimensions(c):
    """Three arrays with dimensions of mixed datatypes."""
    for k in range(3):
        n = c.r.choice([1, 1, 2, 3])
        types = [SPARSE_DIMENSIONS[(3 * c.round + k) % len(SPARSE_DIMENSIONS)]] + [c.r.choice(SPARSE_DIMENSIONS) for _ in range(n - 1)]
        c.r.shuffle(types)
        s = dict(sparse=1, dims=[c.ch.sparse_dimension('d%d' % i, t) for i, t in enumerate(types)], attrs=c.ch.attributes(2), **c.ch.tuning(True))
        s['dups'] = int(c.ch.maybe(.3))
        name = c.create(s, 'array_%d' % k)
        c.fill(s, c.r.randint(1, 3), name=name)


@family()
def many_dimensions(c):
    """Four to six dimensions, dense and sparse; and sixteen."""
    n = c.r.randint(4, 6)
    ty = c.r.choice(INTS + DATES)
    s = dict(dims=[c.ch.dense_dimension('d%d' % i, ty, c.r.randint(1, 3)) for i in range(n)], attrs=c.ch.attributes(2), **c.ch.tuning(False))
    c.create(s)
    c.fill(s, 2)
    t = dict(sparse=1, dims=[c.ch.sparse_dimension('d%d' % i, c.r.choice(SPARSE_DIMENSIONS)) for i in range(n)], attrs=c.ch.attributes(2), **c.ch.tuning(True))
    c.fill(t, 2, name=c.create(t, 'array_sparse'))
    u = dict(dims=[c.ch.dense_dimension('d%d' % i, 'int8', 2 if i in (3, 7, 11, 12) else 1) for i in range(16)], attrs=c.ch.attributes(1), **c.ch.tuning(False))
    name = c.create(u, 'array_sixteen')
    c.fill(u, 2, name=name)
    v = dict(sparse=1, dims=[c.ch.sparse_dimension('d%d' % i, c.r.choice(INTS), 0) for i in range(16)], attrs=c.ch.attributes(1), **c.ch.tuning(True))
    v['cell_order'] = c.r.choice(['row-major', 'col-major'])
    c.fill(v, 2, name=c.create(v, 'array_sixteen_sparse'))


# ------------------------------------------------------------------ orders
@family(2)
def dense_orders(c):
    n = c.r.choice([2, 2, 3])
    dims = [c.ch.dense_dimension('d%d' % i, c.r.choice(['int32', 'uint64']) if i == 0 else '', c.r.randint(3, 14 if n == 2 else 7)) if i == 0 else None for i in range(n)]
    dims = [dims[0]] + [c.ch.dense_dimension('d%d' % i, dims[0]['type'], c.r.randint(3, 14 if n == 2 else 7)) for i in range(1, n)]
    s = dict(dims=dims, attrs=[A('i', 'int32'), A('s', 'string_ascii', 'var'), c.ch.attribute('x', 'float32', filters=0)], **c.ch.orders(False))
    c.create(s)
    c.fill(s, c.r.randint(1, 4))
    # aligned with tiles: written in global order
    e = [d['extent'] for d in dims]
    if all(d['lo'] + 2 * x - 1 <= d['hi'] for d, x in zip(dims, e)):
        c.attempt('dense global', c.dense, s, [(d['lo'] + x, d['lo'] + 2 * x - 1) for d, x in zip(dims, e)], 70, 'global-order')


@family(2)
def sparse_orders(c):
    n = c.r.choice([2, 2, 3])
    dims = [c.ch.sparse_dimension('d%d' % i, c.r.choice(INTS[2:] + FLOATS + DATES), .15) for i in range(n)]
    s = dict(sparse=1, dims=dims, attrs=[A('i', 'int32'), A('s', 'string_ascii', 'var')], capacity=c.r.choice([2, 5, 100]), **c.ch.orders(True, .2))
    c.create(s)
    c.fill(s, c.r.randint(1, 4), cells=60)


@family(2)
def hilbert(c):
    n = c.r.choice([1, 2, 2, 2, 3, 4, 6])
    types = [c.r.choice(['int32', 'uint64', 'int64', 'int8', 'float64', 'float32', 'string_ascii', 'datetime_ns', 'time_us']) for _ in range(n)]
    s = dict(sparse=1, dims=[c.ch.sparse_dimension('d%d' % i, t) for i, t in enumerate(types)], attrs=[A('i', 'int32'), c.ch.attribute('x', 'float64')],
             capacity=c.r.choice([2, 5, 100]), cell_order='hilbert')
    s['dups'] = int(c.ch.maybe(.25))
    c.create(s)
    c.fill(s, c.r.randint(1, 3), cells=60)


@family(2)
def duplicates(c):
    n = c.r.choice([1, 2])
    dims = [c.ch.sparse_dimension('d%d' % i, c.r.choice(['int16', 'string_ascii', 'float64', 'datetime_day']), 0) for i in range(n)]
    s = dict(sparse=1, dups=1, dims=dims, attrs=c.ch.attributes(3), **c.ch.tuning(True))
    c.create(s)
    c.fill(s, c.r.randint(1, 4), cells=40)


# ------------------------------------------------------------------ filters
@family(2)
def filter_chains(c):
    """Every filter, over full tiles of one dimension."""
    ext = c.r.choice([16, 40, 64])
    attrs = []
    chains = [
        ('int32', ['bit_width_reduction', 'byteshuffle', 'zstd'], 'small'), ('int64', ['positive_delta', 'bitshuffle', 'lz4'], 'mono'),
        ('uint16', ['positive_delta', 'bit_width_reduction'], 'mono'), ('float64', ['byteshuffle', 'gzip'], None), ('uint16', ['bitshuffle', 'rle'], 'runs'),
        ('int64', ['double_delta', 'bzip2'], 'mono'), ('uint32', ['delta', 'zstd'], 'mono'), ('float32', ['xor', 'lz4'], None), ('uint64', ['xor', 'bitshuffle', 'gzip'], None),
        ('int32', ['checksum_md5', 'zstd', 'checksum_sha256'], None), ('uint8', ['webp'], 'webp'), ('int8', ['rle', 'rle'], 'runs'), ('datetime_ms', ['double_delta'], 'mono'),
        ('datetime_ns', ['positive_delta'], 'mono'), ('time_sec', ['bit_width_reduction'], 'small'), ('int16', [('delta', {'reinterpret_datatype': 6})], 'small'),
        ('float32', [('double_delta', {'reinterpret_datatype': 0})], 'money'), ('float64', [('scale_float', {'bytewidth': 4, 'factor': 0.1, 'offset': 0.0}), 'bit_width_reduction', 'zstd'], 'money'),
        ('float64', [('scale_float', {'bytewidth': 2, 'factor': 0.5, 'offset': 1.0})], 'money'), ('uint64', [('double_delta', {'reinterpret_datatype': 7})], 'small'),
        ('bool', ['bitshuffle', 'rle'], None), ('uint8', ['none', 'bzip2'], None), ('char', ['rle', 'gzip'], None),
        ('float32', [('scale_float', {'bytewidth': 1, 'factor': 1.0, 'offset': 0.0}), ('delta', {}), 'gzip'], 'money'),
        ('int64', ['bitshuffle', 'double_delta', 'zstd'], 'small'), ('int64', ['zstd', 'zstd', 'lz4'], None),
    ]
    for i, (ty, chain, style) in enumerate(c.r.sample(chains, 10)):
        if style == 'webp':
            continue
        if c.ch.maybe(.3):
            chain = [{'max_chunk_size': c.r.choice([24, 64, 200])}] + chain
        attrs.append(A('a%d' % i, ty, c.r.choice([1, 1, 1, 2]) if chain[0] not in ('double_delta',) else 1, filters=chain, style=style))
    for i in range(4):
        ty = c.r.choice(['string_ascii', 'string_utf8', 'char', 'blob'])
        attrs.append(A('s%d' % i, ty, 'var', filters=c.ch.filters(ty, 'var', 0, None), style='words', nullable=int(c.ch.maybe(.3))))
    good = []
    for a in attrs:                          # the engine refuses some of them at the first write
        t = dict(dims=[D('d', 'int32', 1, ext, ext)], attrs=[a])
        u = os.path.join(c.dir, '_try_' + a['name'])
        try:
            c.e.create(u, t)
            c.e.write(u, t, 'row-major', c.ch.data([a], ext), [(1, ext)], 1)
            good.append(a)
        except EngineError as x:
            c.notes.append('filters refused: %s %s: %s' % (a['type'], a['filters'], x))
    s = dict(dims=[D('d', 'int32', 1, 2 * ext, ext)], attrs=good, **{k: v for k, v in c.ch.tuning(False).items() if k.endswith('filters')})
    c.create(s)
    c.dense(s, [(1, 2 * ext)], 10)
    for a in good:                           # a partial tile breaks the monotony of positive delta
        if 'positive_delta' in (a.get('filters') or []):
            return
    c.attempt('partial tile', c.dense, s, [(3, ext - 2)], 20)


@family()
def webp(c):
    h, w = c.r.randint(2, 9), c.r.randint(2, 7)
    fmt = c.r.choice([1, 2, 3, 4])
    k = 3 if fmt < 3 else 4
    a = A('p', 'uint8', filters=[('webp', {'webp_quality': 100.0, 'webp_input_format': fmt, 'webp_lossless': 1})])
    s = dict(dims=[D('y', 'uint32', 1, h * 2, h), D('x', 'uint32', 1, w * k, w * k)], attrs=[a])
    c.create(s)
    c.dense(s, c.whole(s['dims']), 10, 'row-major')


@family()
def big_tiles(c):
    """Tiles of several chunks; cells larger than a chunk."""
    n = c.r.randint(9000, 20000)
    at = [c.ch.attribute('a%d' % i, c.r.choice(INTS + FLOATS), (1, 0), filters=1, fill=0) for i in range(3)]
    s = dict(dims=[D('d', 'int64', 0, n - 1, c.r.choice([n, n // 2 + 1]))], attrs=at)
    c.create(s)
    c.objects['array']['few'] = True
    c.dense(s, [(0, n - 1)], 10)
    m = 30
    v = [A('s', 'char', 'var', filters=[c.r.choice(['zstd', 'gzip', 'lz4'])]), A('t', 'string_ascii', 'var', filters=[{'max_chunk_size': 300}, 'gzip'])]
    s = dict(dims=[D('d', 'int32', 1, m, m)], attrs=v)
    name = c.create(s, 'array_var')
    sizes = [c.r.choice([0, 10, 100, 3000, 9000]) for _ in range(m)]
    sizes[c.r.randrange(m)] = c.r.choice([70000, 65537, 140000])
    big = [(bytes([c.r.randint(97, 122), c.r.randint(97, 122)]) * k)[:k] for k in sizes]
    c.e.write(c.uri(name), s, 'row-major', {'s': big, 't': [b'x' * c.r.choice([0, 1, 299, 300, 301, 700]) for _ in range(m)]}, [(1, m)], 10)
    c.pool(name)['points'] += [(1,), (m,)]
    c.objects[name]['few'] = True
    k = 3000
    t = dict(sparse=1, dims=[D('x', 'int64', 0, 10 ** 6, 10 ** 5), D('y', 'int32', 0, 10 ** 6, 10 ** 5)], attrs=[c.ch.attribute('a', 'int32', (1, 0), filters=1)],
             capacity=c.r.choice([100, 10000]), coords_filters=c.r.choice([['double_delta', 'zstd'], ['zstd']]), **c.ch.orders(True))
    name = c.create(t, 'array_sparse')
    c.sparse(t, k, 10, name=name)
    c.objects[name]['few'] = True


# ------------------------------------------------------------------ time
@family(3)
def fragments(c):
    """Many fragments that overlap, some tiles partly."""
    sparse = c.ch.maybe(.5)
    dims = [c.ch.sparse_dimension('d%d' % i, c.r.choice(['int32', 'int64', 'uint8', 'float64']), 0) if sparse
            else c.ch.dense_dimension('d%d' % i, 'int32', c.r.randint(5, 18)) for i in range(c.r.choice([1, 2]))]
    s = dict(sparse=int(sparse), dims=dims, attrs=c.ch.attributes(3), **c.ch.tuning(sparse))
    c.create(s)
    c.fill(s, c.r.randint(4, 9))
    if c.ch.maybe(.3):           # a time in the future, not visible yet
        c.fill(s, 1, t0=4102444800000)


@family(4)
def consolidated(c):
    sparse = c.ch.maybe(.7)
    if c.ch.maybe(.2):
        c.encrypt()
    n = c.r.choice([1, 2])
    dims = [c.ch.sparse_dimension('d%d' % i, c.r.choice(['int32', 'int64', 'string_ascii', 'float64']), 0) if sparse
            else c.ch.dense_dimension('d%d' % i, 'int32', c.r.randint(5, 18)) for i in range(n)]
    s = dict(sparse=int(sparse), dims=dims, attrs=c.ch.attributes(2, INTS + ['string_ascii', 'float64', 'string_utf8', 'datetime_ms']), **c.ch.tuning(sparse))
    s['dups'] = int(sparse and c.ch.maybe(.3))
    c.create(s)
    c.fill(s, c.r.randint(2, 5), ties=0)
    u = c.uri()
    todo = [lambda: c.e.consolidate(u), lambda: c.e.consolidate(u, 'commits'), lambda: c.e.consolidate(u, 'fragment_meta'),
            lambda: c.e.vacuum(u), lambda: c.e.vacuum(u, 'commits'), lambda: c.e.vacuum(u, 'fragment_meta'),
            lambda: c.e.consolidate(u, conf={'sm.consolidation.timestamp_start': 10, 'sm.consolidation.timestamp_end': 25}),
            lambda: c.fill(s, 2, ties=0, t0=100 + 50 * len(c.pool()['times'])), lambda: c.pool()['times'].append(15)]
    for k in c.r.sample(range(len(todo)), c.r.randint(2, 6)):
        c.attempt('maintenance %d' % k, todo[k])
    if c.ch.maybe(.4):
        c.attempt('consolidate again', c.e.consolidate, u)
    c.pool()['times'] += [10, 15, 20, 30, 100]


# ------------------------------------------------------------------ deletes
def condition(c, s, depth=0):
    """A random condition over the fields of a schema."""
    r = c.r
    if depth < 2 and c.ch.maybe(.35):
        if c.ch.maybe(.2):
            return ('not', condition(c, s, depth + 1))
        return (r.choice(['and', 'or']), [condition(c, s, depth + 1) for _ in range(r.randint(2, 3))])
    fields = [a for a in s['attrs'] if a.get('num', 1) == 1 or (a['num'] == 'var' and a['type'] in ('string_ascii', 'string_utf8', 'char'))] + s['dims']
    f = r.choice(fields)
    ty = f['type']
    if 'lo' in f:
        v = c.ch.coordinate(f) if not c.pool()['points'] else r.choice(c.pool()['points'])[s['dims'].index(f)]
        if ty == 'string_ascii' and not v:
            v = b'c'
        return (f['name'], r.choice(['lt', 'le', 'gt', 'ge', 'eq', 'ne']), v, ty)
    if f.get('nullable') and c.ch.maybe(.1):
        return (f['name'], 'ne', None, ty)
    if f.get('num', 1) == 'var':
        v = c.ch.text(ty, f.get('style')) or b'm'
    else:
        v = c.ch.fixed(ty, 1, f.get('style'))[0]
    op = r.choice(['eq', 'ne']) if ty == 'bool' else r.choice(['lt', 'le', 'gt', 'ge', 'eq', 'ne', 'in', 'not_in'])
    if op in ('in', 'not_in'):
        more = [c.ch.text(ty, f.get('style')) or b'q' for _ in range(2)] if f.get('num', 1) == 'var' else list(c.ch.fixed(ty, 2, f.get('style')))
        values = [v] + more
        if npt(ty).kind == 'f':          # neither NaN nor zeros: see known_engine_defects.ts
            values = [x for x in values if x == x and x != 0] or [npt(ty).type(1.5)]
        return (f['name'], op, values, ty)
    return (f['name'], op, v, ty)


COMPARABLE = INTS + FLOATS + DATES + TIMES + ['bool', 'string_ascii', 'string_utf8', 'char']


@family(5)
def deletes(c):
    if c.ch.maybe(.15):
        c.encrypt()
    n = c.r.choice([1, 2])
    dims = [c.ch.sparse_dimension('d%d' % i, c.r.choice(['int32', 'int64', 'string_ascii', 'float64', 'datetime_day']), 0) for i in range(n)]
    attrs = []
    for i in range(5):
        ty = c.r.choice(COMPARABLE)
        num = c.r.choice([1, 'var']) if ty == 'char' else 'var' if ty.startswith('string') else 1
        attrs.append(dict(c.ch.attribute('a%d' % i, ty, (num, int(c.ch.maybe(.4))), fill=0), style='words' if num == 'var' else c.r.choice(['small', 'runs', None])))
        attrs[-1].pop('filters', None)
    s = dict(sparse=1, dims=dims, attrs=attrs, **c.ch.tuning(True))
    s['dups'] = int(c.ch.maybe(.35))
    c.create(s)
    c.fill(s, 2, t0=10, cells=50, ties=0)
    u, t = c.uri(), 50
    for i in range(c.r.randint(1, 3)):
        c.attempt('delete', c.e.delete, u, condition(c, s), t)
        c.pool()['times'].append(t)
        t += 10
        if c.ch.maybe(.5):
            c.fill(s, 1, t0=t, cells=30)
            t += 10
    if c.ch.maybe(.5):
        c.attempt('consolidate', c.e.consolidate, u, conf={'sm.consolidation.purge_deleted_cells': c.r.choice(['false', 'false', 'true'])})
        if c.ch.maybe(.5):
            c.attempt('vacuum', c.e.vacuum, u)
    if c.ch.maybe(.4):
        c.attempt('commits', c.e.consolidate, u, 'commits')
        if c.ch.maybe(.5):
            c.attempt('vacuum commits', c.e.vacuum, u, 'commits')
    if c.ch.maybe(.4):
        c.fill(s, 1, t0=t + 10)
        c.attempt('delete', c.e.delete, u, condition(c, s), t + 20)
        c.pool()['times'].append(t + 20)
        if c.ch.maybe(.4):
            c.attempt('consolidate twice', c.e.consolidate, u)


# ------------------------------------------------------------------ schemas that change
@family(3)
def evolution(c):
    sparse = c.ch.maybe(.5)
    dims = [c.ch.sparse_dimension('x', c.r.choice(['int32', 'string_ascii']), 0) if sparse else c.ch.dense_dimension('x', 'int32', 20)]
    s = dict(sparse=int(sparse), dims=dims, attrs=c.ch.attributes(3), **c.ch.tuning(sparse))
    c.create(s)
    write = lambda: (c.fill(s, 1, t0=None), c.pool()['times'].append(int(time.time() * 1000)))
    write()
    for i in range(c.r.randint(1, 4)):
        act = c.r.choice(['add', 'add', 'drop', 'again'])
        if act == 'add' or len(s['attrs']) < 2:
            a = c.ch.attribute('n%d' % i, c.r.choice(DATATYPES))
            if not c.attempt('add', c.e.evolve, c.uri(), [('add', a)]):
                continue
            s = dict(s, attrs=s['attrs'] + [a])
        else:
            dropped = c.r.choice(s['attrs'])
            if not c.attempt('drop', c.e.evolve, c.uri(), [('drop', dropped['name'])]):
                continue
            s = dict(s, attrs=[a for a in s['attrs'] if a is not dropped])
            if act == 'again':
                if c.ch.maybe(.5):
                    write()
                if c.ch.maybe(.5):
                    a = dict(dropped, style=None if dropped['style'] == 'words' else dropped['style'], fill=None)     # the old cells are visible again
                    if not sparse:
                        c.objects['array'].setdefault('skip', set()).add(a['name'])
                else:
                    a = c.ch.attribute(dropped['name'], c.r.choice([dropped['type'], c.r.choice(DATATYPES)]))
                    c.objects['array'].setdefault('skip', set()).add(a['name'])     # see known_engine_defects.ts
                if c.attempt('add again', c.e.evolve, c.uri(), [('add', a)]):
                    s = dict(s, attrs=s['attrs'] + [a])
        if c.ch.maybe(.8):
            write()
    if c.ch.maybe(.3) and 'skip' not in c.objects['array']:
        c.attempt('consolidate', c.e.consolidate, c.uri())


@family(2)
def enumerations(c):
    sparse = c.ch.maybe(.5)
    values = {'string_ascii': [b'red', b'green', b'', b'blue'], 'string_utf8': ['größe'.encode(), '漢'.encode(), b'x'], 'int32': [10, 20, -30], 'float64': [1.5, -2.5, 0.0],
              'datetime_day': [0, 18000, -5], 'uint8': [3, 1, 2], 'char': [b'a', b'bc'], 'int64': [2 ** 60, -1]}
    enums, attrs = [], []
    for i in range(3):
        ty = c.r.choice(list(values))
        var = isinstance(values[ty][0], bytes)
        enums.append(dict(name='e%d' % i, type=ty, num='var' if var else 1, ordered=c.r.choice([0, 1]), values=values[ty]))
        attrs.append(A('c%d' % i, c.r.choice(INTS), enum='e%d' % i, codes=len(values[ty]), nullable=int(c.ch.maybe(.4))))
    dims = [c.ch.sparse_dimension('x', 'int32', 0) if sparse else c.ch.dense_dimension('x', 'int32', 20)]
    s = dict(sparse=int(sparse), dims=dims, attrs=attrs + c.ch.attributes(1), enums=enums, **c.ch.tuning(sparse))
    c.create(s)
    c.fill(s, 2, t0=None)
    c.pool()['times'].append(int(time.time() * 1000))
    e = enums[0]
    more = {'string_ascii': [b'black', b'w'], 'string_utf8': [b'y'], 'int32': [40], 'float64': [9.75], 'datetime_day': [99], 'uint8': [9, 8], 'char': [b'zz'], 'int64': [7]}[e['type']]
    if c.attempt('extend', c.e.evolve, c.uri(), [('extend', dict(e, values=more))]):
        s['attrs'][0]['codes'] += len(more)
        c.fill(s, 1, t0=None)
    if c.ch.maybe(.5):
        f = dict(name='late', type='string_ascii', num='var', values=[b'p', b'q'])
        a = A('late', 'uint8', enum='late', codes=2)
        if c.attempt('add', c.e.evolve, c.uri(), [('enum', f), ('add', a)]):
            s = dict(s, attrs=s['attrs'] + [a])
            c.fill(s, 1, t0=None)
    if sparse and c.ch.maybe(.4):
        v = c.r.choice([x for x in e['values'] if x != b''])
        c.attempt('delete by value', c.e.delete, c.uri(), ('c0', c.r.choice(['eq', 'ne']), v, e['type']))


@family(2)
def current_domain(c):
    sparse = c.ch.maybe(.6)
    n = c.r.choice([1, 2])
    dims = []
    for i in range(n):
        if sparse and c.ch.maybe(.25):
            dims.append(dict(D('d%d' % i, 'string_ascii', None, None, None), within=(b'a', b'e')))
            continue
        ty = c.r.choice(['int32', 'uint64', 'datetime_ms'] + (['float64'] if sparse else [])) if sparse or not dims else dims[0]['type']
        if ty == 'float64':
            dims.append(dict(D('d%d' % i, ty, 0.0, 1000.0, 10.0), within=(1.0, 50.0)))
        else:
            dims.append(dict(D('d%d' % i, ty, 0, 2 ** (30 if ty == 'int32' else 60), c.r.randint(1, 9)), within=(c.r.randint(0, 5), c.r.randint(8, 20))))
    s = dict(sparse=int(sparse), dims=dims, attrs=c.ch.attributes(2), current_domain=[d['within'] for d in dims], **c.ch.tuning(sparse))
    c.create(s)
    old = c.ch.coordinate
    c.ch.coordinate = lambda d: bytes([c.r.randint(97, 101)]) if d['type'] == 'string_ascii' else old(d)
    c.fill(s, 2, t0=None)
    c.pool()['times'].append(int(time.time() * 1000))
    if c.ch.maybe(.6):
        wider = [dict(d, within=(d['within'][0], b'g' if d['type'] == 'string_ascii' else d['within'][1] * 2)) for d in dims]
        if c.attempt('expand', c.e.evolve, c.uri(), [('current_domain', dims, [d['within'] for d in wider])]):
            s = dict(s, dims=wider)
            c.objects['array']['dims'] = wider
            c.fill(s, 1, t0=None)


# ------------------------------------------------------------------ the rest
@family()
def encrypted(c):
    c.encrypt()
    everything(c)
    c.attempt('metadata', c.e.metadata, c.uri(), [('put', 'k', 'int32', [1, 2])], 15)


@family()
def metadata(c):
    """All datatypes as metadata, changed and deleted over time; consolidated."""
    s = dict(dims=[D('d', 'int32', 1, 4, 2)], attrs=[A('a', 'int32')])
    c.create(s)
    c.objects['array']['few'] = True
    c.fill(s, 1)
    keys = ['', 'k', 'ключ', 'a b', 'z' * 300] + ['k_' + t for t in DATATYPES]
    for i in range(c.r.randint(2, 5)):
        ops = []
        for k in c.r.sample(keys, 20):
            ty = k[2:] if k.startswith('k_') else c.r.choice(DATATYPES)
            n = c.r.choice([0, 1, 1, 2, 7])
            value = c.ch.text(ty) if ty in BYTES or ty.startswith('string') else c.ch.fixed(ty, n)
            ops.append(('del', k) if c.ch.maybe(.15) else ('put', k, ty, value))
        for o in ops:
            c.attempt('metadata', c.e.metadata, c.uri(), [o], 10 * i + 10) if c.ch.maybe(.1) else None
        c.attempt('metadata', c.e.metadata, c.uri(), ops, 10 * i + 12)
        c.pool()['times'].append(10 * i + 12)
        if c.ch.maybe(.3):
            c.attempt('consolidate', c.e.consolidate, c.uri(), 'array_meta')
            if c.ch.maybe(.5):
                c.attempt('vacuum', c.e.vacuum, c.uri(), 'array_meta')


@family()
def groups(c):
    if c.ch.maybe(.2):
        c.encrypt()
    s = dict(dims=[D('d', 'int32', 1, 4, 2)], attrs=[A('a', 'int32')])
    for g in ('group', 'group/sub', 'group/sub/deep'):
        c.e.c('group_create', os.path.join(c.dir, g))
        c.objects[g] = dict(uri=os.path.join(c.dir, g), group=True)
    names = ['one', 'two', 'three', 'sub']
    for x in names[:3]:
        c.create(s, 'group/' + x)
        c.objects['group/' + x]['few'] = True
    c.fill(s, 1, name='group/one')
    t = 10
    top = c.uri('group')
    c.e.group(top, [('add', x, 1, c.r.choice([None, x + '!', 'ñ ' + x])) if c.ch.maybe(.8) else ('add', os.path.join(top, x), 0, x) for x in names], t)
    for i in range(c.r.randint(1, 4)):
        t += 10
        ops = [('put', c.r.choice('abc'), ty, c.ch.text(ty) if ty in BYTES or ty.startswith('string') else c.ch.fixed(ty, 2)) for ty in c.r.sample(DATATYPES, 3)]
        if c.ch.maybe(.4):
            ops.append(('del', c.r.choice('abc')))
        if c.ch.maybe(.5):
            ops.append(('remove', c.r.choice(names)))
        for o in ops:
            c.attempt('group', c.e.group, top, [o], t)
    c.attempt('add', c.e.group, c.uri('group/sub'), [('add', 'deep', 1, 'deep'), ('put', 'deep', 'float64', [2.5])], t + 10)
    c.attempt('add', c.e.group, c.uri('group/sub/deep'), [('add', '../../one', 1, 'up')], t + 20)


@family()
def labels(c):
    s = dict(dims=[D('x', 'int32', 1, 10, 4), D('y', 'int32', 1, 4, 2)], attrs=c.ch.attributes(1),
             labels=[dict(dim=0, name='up', order='increasing', type=c.r.choice(['float64', 'int32', 'datetime_day'])),
                     dict(dim=1, name='down', order='decreasing', type='int64'), dict(dim=0, name='text', order='increasing', type='string_ascii')])
    c.create(s)
    up = np.sort(c.r.sample(range(-100, 100), 10))
    words = sorted(b'k%03d' % k for k in c.r.sample(range(1000), 10))
    data = {'up': up.astype(npt(s['labels'][0]['type'])), 'down': np.array([9, 5, 0, -3]), 'text': words, **c.ch.data(s['attrs'], 40)}
    c.e.write(c.uri(), s, 'row-major', data, [(1, 10), (1, 4)], 10)
    c.pool()['points'] += [(1, 1), (10, 4)]
    for k, d in enumerate([s['dims'][0], s['dims'][1], s['dims'][0]]):
        name = 'array/__labels/l%d' % k
        c.objects[name] = dict(uri=os.path.join(c.dir, name), dims=[d], pool={'points': [(1,)], 'times': []}, few=True)


@family()
def names(c):
    """Unusual names of attributes and dimensions, in empty arrays."""
    attrs = [A(x, 'int32') for x in ['', 'with space', 'a/b', 'perc%20ent', 'x:y*?"<>|', "q'!#$&()+,;=@[]", 'ünï', 'dot.', 'back\\slash', 'constructor', 'length', 'hasOwnProperty']]
    s = dict(dims=[D('d 1', 'int32', 1, 4, 2)], attrs=c.r.sample(attrs, 8))
    c.create(s)
    c.dense(s, [(1, 4)], 10)
    c.create(dict(s, attrs=c.ch.attributes(3)), 'array_empty')
    c.create(dict(sparse=1, dims=[c.ch.sparse_dimension('toString', 'float64')], attrs=c.ch.attributes(2)), 'array_empty_sparse')


@family(5)
def everything(c):
    """A random schema."""
    sparse = c.ch.maybe(.5)
    n = c.r.choice([1, 1, 2, 2, 3])
    if sparse:
        dims = [c.ch.sparse_dimension('d%d' % i, c.r.choice(SPARSE_DIMENSIONS)) for i in range(n)]
    else:
        ty = c.r.choice(DENSE_DIMENSIONS)
        dims = [c.ch.dense_dimension('d%d' % i, ty, c.r.randint(1, [60, 15, 6][n - 1])) for i in range(n)]
    s = dict(sparse=int(sparse), dims=dims, attrs=c.ch.attributes(c.r.randint(1, 5)), **c.ch.tuning(sparse))
    s['dups'] = int(sparse and c.ch.maybe(.3))
    c.create(s)
    c.fill(s, c.r.randint(1, 4))
