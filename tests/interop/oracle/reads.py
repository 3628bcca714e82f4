"""Which reads of an array are recorded: regions, orders, times."""
import numpy as np

from . import record
from .engine import EngineError, npt


def merged(ranges):
    """Returns sorted ranges, with overlapping ranges merged."""
    out = []
    for lo, hi in sorted(ranges):
        if out and lo <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], hi))
        else:
            out.append((lo, hi))
    return out


class Reads:
    """`skip`: attributes that the engine does not read correctly."""

    def __init__(self, e, choose, uri, pool, dims, notes, skip=()):
        self.e, self.ch, self.uri, self.pool, self.dims, self.notes, self.skip = e, choose, uri, pool, dims, notes, skip

    def opened(self, times, use):
        a = self.e.open(self.uri, end=times.get('timestamp_end'), start=times.get('timestamp_start'))
        try:
            sch = record.schema(self.e, self.e.new('array_get_schema', a))
            return use(a, sch, record.non_empty_domain(self.e, a, sch))
        finally:
            self.e.close(a)

    def everything(self, few=False, orders=None):
        """The object of expected.json, with `interop_reads` and `interop_times`."""
        e, r = self.e, self.ch.r

        def now(a, sch, ned):
            o = {'kind': 'array', 'schema': sch, 'metadata': record.metadata(e, a), 'reads': [],
                 'non_empty_domain': None if ned is None else [list(map(lambda x, d=d: record.end_json(x, d), p)) for p, d in zip(ned, sch['dimensions'])]}
            if any(x.get('enumeration') for x in sch['attributes']):
                o['enumerations'] = record.enumerations(e, a, sch)
            return o
        o = self.opened({}, now)
        o['fragments'] = record.fragments(e, self.uri, o['schema'])
        dense = o['schema']['array_type'] == 'dense'
        out = o['interop_reads'] = []
        # the engine does not support unordered reads of dense arrays: see known_engine_defects.ts
        orders = orders or ['row-major', 'col-major', 'global-order'] + ([] if dense else ['unordered'])
        for layout in orders[:2] if few else orders:
            self.go(out, 'full ' + layout, {}, layout, None)
        for i in range(1 if few else 5):
            self.go(out, 'region %d' % i, {}, r.choice(orders), 'region', multi=i > 1)
        self.go(out, 'crop', {}, r.choice(orders), 'crop')
        stamps = sorted({int(t) for f in o['fragments'] for t in f['timestamps']} | set(self.pool.get('times', [])))
        times = []
        if len(stamps) > 1:
            for _ in range(2 if few else 4):
                a, b = sorted([r.choice(stamps), r.choice(stamps)])
                times.append(r.choice([{'timestamp_end': b}, {'timestamp_start': a}, {'timestamp_start': a, 'timestamp_end': b},
                                       {'timestamp_end': b - 1}, {'timestamp_start': a + 1, 'timestamp_end': b + 1}]))
        for i, t in enumerate(times):
            self.go(out, 'time %d' % i, t, r.choice(orders), r.choice([None, None, 'region']))
        o['interop_times'] = [self.at(t) for t in times]
        if dense and not few:
            self.go(out, 'beyond', {}, r.choice(orders), 'beyond')
        return o

    def at(self, t):
        def what(a, sch, ned):
            return {**{k: str(v) for k, v in t.items()}, 'metadata': record.metadata(self.e, a), 'schema': sch,
                    'non_empty_domain': None if ned is None else [list(map(lambda x, d=d: record.end_json(x, d), p)) for p, d in zip(ned, sch['dimensions'])]}
        return self.opened(t, what)

    # ---- one read
    def go(self, out, name, times, layout, kind, multi=True):
        def use(a, sch, ned):
            dims = sch['dimensions']
            if ned is None:
                return
            dense = sch['array_type'] == 'dense'
            requested = None if kind is None else self.region(ned, sch, kind, multi and layout != 'global-order')
            if kind is not None and requested is None:
                return
            base = [[n] for n in ned] if dense else [None] * len(dims)
            ranges = [b if x is None else x for x, b in zip(requested or [None] * len(dims), base)]
            tidy = [None if rs is None else self.tidy(rs, i, sch, kind) for i, rs in enumerate(ranges)]
            if any(rs == [] for rs in tidy):
                return
            o = {'name': name, 'layout': layout, **{k: str(v) for k, v in times.items()}}
            if requested is not None:
                o['ranges'] = record.ranges_json(requested, dims)
            if kind == 'crop':
                o['outOfBounds'] = 'clip'
            # a read without any attribute needs the coordinates
            if dense and (self.ch.maybe(.3) or all(x['name'] in self.skip for x in sch['attributes'])):
                o['coordinates'] = True
            # the requested ranges may be unsorted and overlap; the engine reads them sorted and merged: see known_engine_defects.ts
            subarray = None if all(x is None for x in tidy) else tidy
            try:
                o['cells'], o['columns'] = record.read(self.e, a, sch, layout, subarray, self.skip, o.get('coordinates'))
                unknown = [x['name'] for x in sch['attributes'] if x['name'] in self.skip]
                if unknown:
                    o['column_errors'] = {n: 'was dropped and added again with other cells' for n in unknown}
            except EngineError as x:
                self.notes.append('read refused: %s' % x)
                if 'current domain' in str(x):
                    return
                # a failure of the engine: tessera must be able to read it
                o.update(error=str(x), cells=0)
            if 'error' not in o and self.loses_cells(a, sch, tidy, o):
                self.notes.append('a string range lost cells')
                return
            out.append(o)
        self.opened(times, use)

    def loses_cells(self, a, sch, ranges, o):
        """Whether the engine loses, or adds, cells in a range of strings: see known_engine_defects.ts."""
        dims = sch['dimensions']
        strings = [i for i, d in enumerate(dims) if d['cell_val_num'] == 'var' and ranges[i] is not None]
        if not strings or all(d['tile_extent'] is None for d in dims):
            return False
        count, whole = record.read(self.e, a, sch, 'unordered', None, [x['name'] for x in sch['attributes']])
        columns = [[self.raw(x, d) for x in whole[d['name']]] for d in dims]
        inside = sum(all(rs is None or any(lo <= col[k] <= hi for lo, hi in rs) for col, rs in zip(columns, ranges)) for k in range(count))
        return inside != o['cells']

    @staticmethod
    def raw(x, d):
        """Returns a coordinate from its JSON."""
        if d['cell_val_num'] == 'var':
            return bytes.fromhex(x['hex']) if isinstance(x, dict) else x.encode()
        return int(x) if isinstance(x, str) else x

    def limits(self, i, sch):
        """Returns the raw domain, or current domain, of a dimension."""
        d = self.dims[i]
        if 'within' in d:
            return d['within']
        return (d['lo'], d['hi'])

    def tidy(self, rs, i, sch, kind):
        rs = merged(rs)
        if kind == 'crop' and sch['dimensions'][i]['cell_val_num'] != 'var':
            lo, hi = self.limits(i, sch)
            rs = [(max(a, lo), min(b, hi)) for a, b in rs if a <= hi and b >= lo]
        return rs

    def region(self, ned, sch, kind, multi):
        """Returns the ranges of each dimension; None for the full domain."""
        r, out = self.ch.r, []
        dense = sch['array_type'] == 'dense'
        for i, (d, (lo, hi)) in enumerate(zip(sch['dimensions'], ned)):
            if kind == 'region' and self.ch.maybe(.3) and len(ned) > 1:
                out.append(None)
                continue
            out.append([self.range(i, d, lo, hi, sch, kind) for _ in range(r.choice([1, 1, 2, 3]) if multi and kind == 'region' else 1)])
        if dense:
            n = 1
            for rs, (lo, hi) in zip(out, ned):
                n *= sum(b - a + 1 for a, b in merged(rs)) if rs is not None else hi - lo + 1
            if n > 3000:
                return None
        return None if all(x is None for x in out) else out

    def range(self, i, d, lo, hi, sch, kind):
        r, ty = self.ch.r, d['type']
        known = [c[i] for c in self.pool['points']]
        ends = []
        if d['cell_val_num'] == 'var':
            strings = [x for x in known if x] + [b'a', b'c', b'~']
            ends = [r.choice(strings), r.choice(strings)]
            return (ends[0], ends[0]) if self.ch.maybe(.3) else tuple(sorted(ends))
        low, high = self.limits(i, sch)
        if sch['array_type'] == 'dense':
            if kind == 'beyond':
                low, high = max(low, lo - 3), min(high, hi + 3)
            else:
                low, high = max(low, lo - 1), min(high, hi + 1)
            ends = [r.randint(low, high), r.randint(low, high)]
        else:
            for _ in range(2):
                x = r.choice(known)
                if not isinstance(x, float):
                    x += r.choice([-2, -1, 0, 0, 0, 1, 2])
                ends.append(min(max(x, low), high))
        if kind == 'crop':
            t = npt(ty)
            least, most = (np.finfo(t).min, np.finfo(t).max) if t.kind == 'f' else (np.iinfo(t).min, np.iinfo(t).max)
            step = 1 if t.kind != 'f' else 1.0
            return (max(type(low)(low - 3 * step), type(low)(least)) if self.ch.maybe(.7) else min(ends), min(type(high)(high + 3 * step), type(high)(most)) if self.ch.maybe(.7) else max(ends))
        return (ends[0], ends[0]) if self.ch.maybe(.3) else tuple(sorted(ends))
