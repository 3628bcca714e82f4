"""The expected cells, and their comparison with reads of the engine."""
import json

from oracle import record
from oracle.engine import npt


def plain(x):
    """Returns JSON with whole floats as integers, so that both forms of a number are equal."""
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(y) for y in x]
    return int(x) if isinstance(x, float) and x.is_integer() else x


def first_difference(actual, expected, path=''):
    """Returns the first difference between two JSON values, or None."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        for k in [*expected, *(k for k in actual if k not in expected)]:
            if k not in actual or k not in expected:
                return '%s.%s is %s' % (path, k, 'missing' if k in expected else 'not expected')
            d = first_difference(actual[k], expected[k], '%s.%s' % (path, k))
            if d:
                return d
        return None
    if isinstance(actual, list) and isinstance(expected, list):
        if len(actual) != len(expected):
            return '%s has %d entries, %d were expected' % (path, len(actual), len(expected))
        return next((d for i, (x, y) in enumerate(zip(actual, expected)) if (d := first_difference(x, y, '%s[%d]' % (path, i)))), None)
    return None if plain(actual) == plain(expected) else '%s is %s, %s was expected' % (path, json.dumps(actual), json.dumps(expected))


def coordinate(x, d):
    """Returns a coordinate in a comparable form."""
    if d['cell_val_num'] == 'var':
        return bytes.fromhex(x['hex']) if isinstance(x, dict) else x.encode()
    return float(x) if npt(d['type']).kind == 'f' else int(x)


class Cells:
    """The cells of meant.json at a timestamp."""

    def __init__(self, sch, ranges, moment, unknown=()):
        """`unknown`: attributes whose unwritten cells may have any value."""
        self.sch, self.columns, self.unwritten, self.unknown = sch, moment['columns'], set(moment['unwritten']), unknown
        self.dims, self.dense = sch['dimensions'], sch['array_type'] == 'dense'
        self.whole = [[(int(lo), int(hi))] for lo, hi in ranges] if self.dense else None
        if self.dense:
            places = [[]]
            for [(lo, hi)] in self.whole:
                places = [p + [x] for p in places for x in range(lo, hi + 1)]
            self.places = places
        else:
            self.places = list(zip(*([coordinate(x, d) for x in self.columns[d['name']]] for d in self.dims)))
        self.names = ([] if self.dense else [d['name'] for d in self.dims]) + [a['name'] for a in sch['attributes']]
        self.fill = {a['name']: self.fill_of(a) for a in sch['attributes']} if self.dense else None

    @staticmethod
    def fill_of(a):
        if a['nullable'] and not a['fill_valid']:
            return None
        return record.cell(bytes.fromhex(a['fill_hex']), a['type'], record.VAR if a['cell_val_num'] == 'var' else a['cell_val_num'])

    def layouts(self, all_):
        if not all_:
            return ['row-major' if self.dense else 'unordered']
        return ['row-major', 'col-major', 'global-order'] + ([] if self.dense else ['unordered'])

    # ---- ranges
    def random_ranges(self, r, layout):
        """Returns one or two random ranges per dimension; in global order, the engine supports only one."""
        out = []
        for i, d in enumerate(self.dims):
            # the engine loses cells in ranges of text if there are other dimensions: see known_engine_defects.ts
            if not self.dense and (r.random() < .3 or d['cell_val_num'] == 'var' and len(self.dims) > 1):
                out.append(None)
                continue
            ends = sorted(r.choice(self.places)[i] for _ in range(r.choice([2, 2, 2, 4])))
            if len(ends) == 4 and layout != 'global-order' and ends[1] < ends[2]:
                out.append([(ends[0], ends[1]), (ends[2], ends[3])])
            else:
                out.append([(ends[0], ends[-1])])
        return out if self.dense or any(out) else None

    def inside(self, ranges):
        """Returns the numbers of the cells in the ranges."""
        if ranges is None:
            return range(len(self.places))
        return [i for i, p in enumerate(self.places) if all(rs is None or any(lo <= x <= hi for lo, hi in rs) for x, rs in zip(p, ranges))]

    # ---- reads
    def compare(self, layout, read, ranges=None, chosen=None):
        """Returns how a read differs from the chosen cells in the ranges, or None; in dense arrays, the other cells have the fill value."""
        inside = self.inside(ranges)
        if self.dense:
            order = self.dense_order(layout, inside)
            expected = {n: [self.columns[n][i] if chosen is None or chosen(i) else self.fill[n] for i in order] for n in self.names}
            for n in self.unknown:
                for column in (read[n], expected[n]):
                    column[:] = [None if i in self.unwritten else x for i, x in zip(order, column)]
            return first_difference(read, expected)
        inside = [i for i in inside if chosen is None or chosen(i)]
        rows = [json.dumps(plain([self.columns[n][i] for n in self.names])) for i in inside]
        actual = [json.dumps(plain(row)) for row in zip(*(read[n] for n in self.names))]
        if sorted(rows) != sorted(actual):
            more, less = sorted(set(actual) - set(rows)), sorted(set(rows) - set(actual))
            return '%d cells, %d were expected; only in the read: %s, only expected: %s' % (len(actual), len(rows), more[:1], less[:1])
        if layout in ('row-major', 'col-major'):
            places = list(zip(*([coordinate(x, d) for x in read[d['name']]] for d in self.dims)))
            places = [p if layout == 'row-major' else p[::-1] for p in places]
            if places != sorted(places):
                return 'the cells are not in %s order' % layout
        return None

    def dense_order(self, layout, inside):
        def cell(i, columns):
            return self.places[i][::-1] if columns else self.places[i]

        def key(i):
            if layout != 'global-order':
                return cell(i, layout == 'col-major')
            tile = [(x - int(d['domain'][0])) // int(d['tile_extent']) for x, d in zip(self.places[i], self.dims)]
            return (tile[::-1] if self.sch['tile_order'] == 'col-major' else tile), cell(i, self.sch['cell_order'] == 'col-major')
        return sorted(inside, key=key)
