"""Seeded choices: values, coordinates, filters, dimensions, attributes."""
import math
import random

import numpy as np

from .engine import BYTES, DATATYPES, npt

INTS = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64']
DATES = [t for t in DATATYPES if t.startswith('datetime_')]
TIMES = [t for t in DATATYPES if t.startswith('time_')]
FLOATS = ['float32', 'float64']
DENSE_DIMENSIONS = INTS + DATES + TIMES
SPARSE_DIMENSIONS = INTS + ['string_ascii'] + DATES + FLOATS + TIMES
FORMS = [(1, 0), ('many', 0), ('var', 0), (1, 1), ('var', 1), ('many', 1)]
WORDS = [b'aa', b'bbb', b'c', b'', b'dddd', b'aa b']


def D(name, ty, lo, hi, extent, filters=None):
    return dict(name=name, type=ty, lo=lo, hi=hi, extent=extent, filters=filters)


def A(name, ty, num=1, **k):
    return dict(name=name, type=ty, num=num, **k)


class Choose:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.g = np.random.default_rng(self.r.getrandbits(64))
        self.nonempty = False          # no empty var-sized cells
        self.places = {}               # the signs of written zeros: see known_engine_defects.ts

    def maybe(self, p):
        return self.r.random() < p

    # ---- values
    def fixed(self, ty, k, style=None):
        dt, g = npt(ty), self.g
        if ty == 'bool':
            return g.integers(0, 2, k).astype(dt)
        if ty in BYTES or ty.startswith('string'):
            return g.integers(33, 127, k).astype(dt)
        if dt.kind == 'f':
            if style == 'money':
                return np.round(g.uniform(-50, 50, k), 1).astype(dt)
            v = g.normal(0, 100, k).astype(dt)
            odd = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, np.finfo(dt).max, 1.5], 'f8').astype(dt)
            return np.where(g.random(k) < 0.3, g.choice(odd, k), v)
        if style == 'mono':
            return np.minimum(np.cumsum(g.integers(0, 2, k)) + int(g.integers(0, 20)), min(np.iinfo(dt).max, 2 ** 62)).astype(dt)
        if style == 'runs':
            return np.repeat(g.integers(0, 100, k // 3 + 1), 3)[:k].astype(dt)
        if style == 'small':
            return g.integers(0, 10, k).astype(dt)
        i = np.iinfo(dt)
        v = g.integers(i.min, i.max, k, dtype=dt, endpoint=True)
        return np.where(g.random(k) < 0.15, g.choice(np.array([i.min, i.max, 0, 1], dt), k), v)

    def text(self, ty, style=None):
        r = self.r
        if style == 'words':
            return r.choice(WORDS) or (b'e' if self.nonempty else b'')
        n = r.choice([0, 1, 2, 3, 5, 8, 13]) or int(self.nonempty)
        wide = 'abcäöü漢🙂€ '
        if ty == 'string_utf8':
            return ''.join(r.choice(wide) for _ in range(n)).encode()
        if ty in ('string_utf16', 'string_ucs2'):
            return ''.join(r.choice('abcäöü漢') for _ in range(n)).encode('utf-16-le')
        if ty in ('string_utf32', 'string_ucs4'):
            return ''.join(r.choice(wide) for _ in range(n)).encode('utf-32-le')
        if ty in ('blob', 'geom_wkb', 'any'):
            return bytes(r.randint(0, 255) for _ in range(n))
        return ''.join(r.choice('abcdefghijklmnopqrstuvwxyz0123456789 _-') for _ in range(n)).encode()

    def values(self, a, n):
        """Returns n values of an attribute; with validity if it is nullable."""
        ty, num, style = a['type'], a.get('num', 1), a.get('style')
        if a.get('codes') is not None:
            v = self.g.integers(0, a['codes'], n).astype(npt(ty))
        elif num == 'var' and (ty in BYTES or ty.startswith('string')):
            v = [self.text(ty, style) for _ in range(n)]
        elif num == 'var':
            v = [self.fixed(ty, self.r.choice([0, 1, 1, 2, 3, 5]) or int(self.nonempty), style) for _ in range(n)]
        else:
            v = self.fixed(ty, n * num, style)
            v = v if num == 1 else v.reshape(n, num)
        return (v, (self.g.random(n) > 0.3).astype('u1')) if a.get('nullable') else v

    def data(self, attrs, n):
        return {a['name']: self.values(a, n) for a in attrs}

    # ---- attributes
    def filters(self, ty, num, nullable, style):
        r, pre, out = self.r, [], []
        kind = npt(ty).kind
        if num == 'var' and ty in ('string_ascii', 'string_utf8'):
            pre = ['rle', 'dictionary']
        elif ty in BYTES or ty.startswith('string') or ty == 'bool':
            pre = ['rle'] if num != 'var' else []
        elif kind == 'f':
            w = 4 if ty == 'float32' else 8
            pre = ['xor', ('delta', {'reinterpret_datatype': DATATYPES.index('int%d' % (8 * w))})]
            if style == 'money' and num == 1:
                pre += [('scale_float', {'bytewidth': r.choice([1, 2, 4, 8]), 'factor': r.choice([0.1, 0.5, 1.0]), 'offset': r.choice([0.0, 1.5])})] * 2
        else:
            pre = ['xor', 'bit_width_reduction', ('bit_width_reduction', {'bit_width_max_window': r.choice([8, 64, 1000])})]
            pre += ['rle'] if num != 'var' else []
            pre += ['double_delta', 'delta'] if style in ('small', 'mono', 'runs') else []
        tail = ['byteshuffle', 'bitshuffle', ('gzip', {'level': r.choice([-1, 1, 9])}), ('zstd', {'level': r.choice([-1, 1, 7, 19])}), 'lz4',
                ('bzip2', {'level': r.choice([1, 9])}), 'checksum_md5', 'checksum_sha256', 'none', 'zstd', 'gzip']
        if pre and self.maybe(.5):
            out.append(r.choice(pre))
        out += [r.choice(tail) for _ in range(r.choice([0, 1, 1, 2, 3]))]      # xor only as first filter: see known_engine_defects.ts
        if self.maybe(.15):
            out.insert(0, {'max_chunk_size': r.choice([16, 64, 100, 1000])})
        return out

    def attribute(self, name, ty, form=None, filters=.6, fill=.25):
        r = self.r
        num, nullable = form or r.choice(FORMS)
        num = r.randint(2, 4) if num == 'many' else num
        if ty == 'any':
            num = 'var'
        a = A(name, ty, num)
        if nullable:
            a['nullable'] = 1
        kind = npt(ty).kind
        string = ty in BYTES or ty.startswith('string')
        a['style'] = r.choice([None, 'words'] if string else [None, 'money'] if kind == 'f' else [None, None, 'small', 'runs', 'mono'])
        if string and ty not in ('string_ascii', 'string_utf8', 'char', 'blob', 'geom_wkb', 'geom_wkt'):
            a['style'] = None
        if self.maybe(filters):
            a['filters'] = self.filters(ty, num, nullable, a['style'])
        if self.maybe(fill):
            v = self.values(dict(a, num=1 if num == 'var' else num, nullable=0, style=None), 1)
            v = v[0] if isinstance(v, list) else v
            a['fill'] = v if isinstance(v, bytes) and v else np.asarray(v).tobytes() or b'\x01'
            a['fill'] = np.frombuffer(a['fill'], npt(ty)) if not string else a['fill']
            if string and not isinstance(a['fill'], bytes):
                a['fill'] = bytes(a['fill'])
            a['fill_valid'] = r.choice([0, 1])
        return a

    def attributes(self, n, types=None, **k):
        return [self.attribute('a%d' % i, self.r.choice(types or DATATYPES), **k) for i in range(n)]

    # ---- dimensions
    def dense_dimension(self, name, ty, span, low=None):
        """Returns a dimension of about `span` cells, anywhere in the datatype's range."""
        r, i = self.r, np.iinfo(npt(ty))
        ext = r.randint(1, max(1, min(span, 9)))
        room = 2 * (span + ext) + 2
        places = [0, 1, r.randint(max(i.min, -1000), min(i.max - room, 1000)), int(i.min) + (1 if i.min < 0 else 0), int(i.max) - room]
        lo = r.choice(places) if low is None else low
        return D(name, ty, lo, lo + span - 1, ext)

    def sparse_dimension(self, name, ty, wide=.3, filters=.4, extent=True):
        r = self.r
        if ty == 'string_ascii':
            d = D(name, ty, None, None, None)
        elif npt(ty).kind == 'f':
            lo, hi = r.choice([(-10.0, 10.0), (0.0, 1.0), (-1e30, 1e30), (-50.25, 14.0), (5.0, 5.5)])
            d = D(name, ty, lo, hi, r.choice([None, (hi - lo) / 8, (hi - lo) / 3, hi - lo]))
        else:
            i = np.iinfo(npt(ty))
            if self.maybe(wide):
                ext = r.choice([1, 10, int(i.max) // 7, int(i.max) // 2])
                # the engine requires that the last tile ends inside the range of the datatype
                d = D(name, ty, int(i.min) + (1 if self.maybe(.5) else 0), int(i.max) - ext, ext)
            else:
                span = r.randint(4, 60)
                d = self.dense_dimension(name, ty, span)
            if self.maybe(.1):
                d['extent'] = None
        if extent and d['extent'] is None and ty != 'string_ascii':
            d['extent'] = (d['hi'] - d['lo']) / 4 if npt(ty).kind == 'f' else 1
        if self.maybe(filters):
            f = ['zstd', 'gzip', 'lz4', 'bzip2', 'byteshuffle', 'bitshuffle', 'checksum_md5']
            if ty == 'string_ascii':
                f = ['rle', 'dictionary', 'zstd', 'gzip']
            elif npt(ty).kind != 'f':
                f += ['rle', 'bit_width_reduction']
            d['filters'] = [r.choice(f) for _ in range(r.randint(0, 2))]
            if d['filters'] in (['rle', 'rle'], ['dictionary', 'dictionary']) and ty == 'string_ascii':
                d['filters'].pop()                                             # see known_engine_defects.ts
            if ty != 'string_ascii' and npt(ty).kind != 'f' and self.maybe(.2):
                d['filters'].insert(0, 'xor')
        return d

    def coordinate(self, d):
        r, ty = self.r, d['type']
        if ty == 'string_ascii':
            if self.maybe(.05):
                return bytes(r.randint(1, 127) for _ in range(r.randint(1, 12)))
            return ''.join(r.choice('abcdef') for _ in range(r.choice([0, 1, 1, 2, 3, 6, 9, 12]))).encode()
        lo, hi = d.get('within', (d['lo'], d['hi']))
        if npt(ty).kind == 'f':
            x = r.choice([lo, hi, 0.0, -0.0, r.uniform(lo, hi), r.uniform(lo, hi), r.uniform(lo, hi)])
            x = float(npt(ty).type(x))
            return x if lo <= x <= hi else lo
        return r.choice([lo, hi]) if self.maybe(.04) else r.randint(lo, hi)

    def place(self, dims):
        """Returns the coordinates of a cell. Each zero always has the same sign: see known_engine_defects.ts."""
        c = tuple(self.coordinate(d) for d in dims)
        return self.places.setdefault(c, c)

    def coordinates(self, dims, n, pool):
        """Returns n different coordinates, some from earlier writes (`pool`, to which new ones are added)."""
        seen, out = set(), []
        for _ in range(30 * n):
            if len(out) == n:
                break
            c = self.r.choice(pool) if pool and self.maybe(.35) else self.place(dims)
            if c not in seen:          # tuples that differ in the signs of zeros are equal
                seen.add(c)
                out.append(c)
        pool.extend(out)
        return out

    def orders(self, sparse, hilbert=.3):
        r = self.r
        o = dict(tile_order=r.choice(['row-major', 'col-major']), cell_order=r.choice(['row-major', 'col-major']))
        if sparse and self.maybe(hilbert):
            o['cell_order'] = 'hilbert'
        return o

    def tuning(self, sparse):
        """Returns the parts of a schema other than dimensions and attributes."""
        r, s = self.r, dict(self.orders(sparse), capacity=self.r.choice([1, 2, 3, 7, 10, 100, 10000]))
        if self.maybe(.5):
            s['offsets_filters'] = r.choice([['zstd'], ['positive_delta', 'gzip'], ['double_delta'], [], ['bit_width_reduction', 'bzip2'], ['delta', 'lz4']])
        if self.maybe(.5):
            s['coords_filters'] = r.choice([['zstd'], ['gzip'], ['lz4'], [], ['checksum_sha256', 'bitshuffle', 'zstd']])
        if self.maybe(.5):
            s['validity_filters'] = r.choice([['zstd'], [], ['rle'], ['bit_width_reduction'], ['bitshuffle', 'lz4']])
        return s


def global_order(s, cols):
    """Returns the numbers of the cells sorted in row/col global order."""
    def key(i):
        t, c = [], []
        for d, col in zip(s['dims'], cols):
            x = col[i]
            c.append(x)
            if d['extent'] is not None:
                t.append(math.floor((x - d['lo']) / d['extent']) if isinstance(x, float) else (x - d['lo']) // d['extent'])
        return (t[::-1] if s.get('tile_order') == 'col-major' else t, c[::-1] if s.get('cell_order') == 'col-major' else c)
    return sorted(range(len(cols[0])), key=key)


def take(v, idx):
    if isinstance(v, tuple):
        return (take(v[0], idx), take(v[1], idx))
    return v[idx] if isinstance(v, np.ndarray) else [v[i] for i in idx]
