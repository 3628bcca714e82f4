"""Random arrays for queries: the engine or tessera creates them, and either writes each fragment and delete."""
import numpy as np

from oracle import record
from oracle.choose import A, DATES, FLOATS, INTS, TIMES, Choose
from oracle.engine import BYTES, EngineError, npt

from . import conditions

DIMENSIONS = INTS + DATES + ['string_ascii', 'string_ascii', 'float64', 'float32', 'time_ms']
COMPARABLE = INTS + FLOATS * 3 + ['datetime_day', 'datetime_ns', 'time_us', 'bool', 'bool'] + ['string_ascii', 'string_utf8'] * 4 + ['char']
OTHERS = ['blob', 'string_utf16', 'string_ucs4', 'geom_wkt']
VALUES = {
    'string_ascii': [b'red', b'green', b'', b'blue', b'redder'], 'string_utf8': ['größe'.encode(), '漢'.encode(), b'x', b'red'], 'int32': [10, 20, -30],
    'float64': [1.5, -2.5, 0.0, 1e300], 'datetime_day': [0, 18000, -5], 'uint8': [3, 1, 2, 255], 'char': [b'a', b'bc'], 'int64': [2 ** 60, -1],
    'bool': [1, 0], 'float32': [0.5, 0.25],
}
NAMES = ['a', 'b_2', 'depth', 'in_', 'dot.ted', 'with space', 'größe', '2nd', "quo'te", 'val', 'None_']
KEY = b'0123456789abcdeF0123456789abcdeF'


def attribute(ch, name):
    r = ch.r
    ty = r.choice(COMPARABLE) if ch.maybe(.93) else r.choice(OTHERS)
    text = ty in BYTES or ty.startswith('string')
    num = 'var' if text and (ty != 'char' or ch.maybe(.5)) else 1
    if ch.maybe(.04):
        num = 2
    a = A(name, ty, num, style=('words' if ty in ('string_ascii', 'string_utf8', 'char') and ch.maybe(.7) else None) if text
          else r.choice([None, 'money']) if npt(ty).kind == 'f' else r.choice(['small', 'small', 'runs', None]))
    if ch.maybe(.4):
        a['nullable'] = 1
    if ch.maybe(.2):
        a['filters'] = [r.choice(['zstd', 'byteshuffle', 'gzip', 'checksum_md5', 'bzip2'])]
    if ch.maybe(.15) and num == 1:
        fill = ch.fixed(ty, 1, a['style'])
        a.update(fill=bytes(fill) if text else fill, fill_valid=r.choice([0, 1]))
    return a


def enumerated(ch, name, enums):
    ty = ch.r.choice(list(VALUES))
    values = VALUES[ty]
    enum = dict(name='e %s' % name, type=ty, num='var' if isinstance(values[0], bytes) else 1, ordered=int(ch.maybe(.5)),
                values=ch.r.sample(values, ch.r.randint(1, len(values))))
    enums.append(enum)
    return A(name, ch.r.choice(INTS), enum=enum['name'], codes=len(enum['values']), nullable=int(ch.maybe(.4)))


class Plan:
    """An array and the steps that write it. Each step is by the engine or by tessera, in one of three turns: engine, tessera, engine."""

    def __init__(self, seed):
        self.ch = ch = Choose(seed)
        self.r = r = ch.r
        ch.nonempty = True             # see known_engine_defects.ts: empty tiles
        self.sparse = ch.maybe(.6)
        self.key = KEY if ch.maybe(.05) else None
        n = r.choice([1, 1, 2])
        names = r.sample(NAMES, r.randint(3, 5))
        enums, attrs = [], []
        for name in names:
            attrs.append(enumerated(ch, name, enums) if ch.maybe(.25) else attribute(ch, name))
        if self.sparse:
            dims = [ch.sparse_dimension('d %d' % i if ch.maybe(.1) else 'd%d' % i, r.choice(DIMENSIONS), .1, .2) for i in range(n)]
            for d in dims:
                if d['type'] == 'string_ascii' and d['filters']:
                    d['filters'] = d['filters'][:1]            # the engine cannot read text that is filtered twice
        else:
            ty = r.choice(INTS + DATES)
            dims = [ch.dense_dimension('d%d' % i, ty, r.randint(2, [60, 14][n - 1])) for i in range(n)]
            attrs.append(A('written', 'int32', style='small'))     # never the fill value: marks the written cells
        self.s = dict(sparse=int(self.sparse), dims=dims, attrs=attrs, enums=enums, capacity=r.choice([2, 3, 7, 10, 100]), **ch.orders(self.sparse))
        if self.sparse:
            self.s['dups'] = int(ch.maybe(.3))
        # the engine refuses conditions on these
        self.hidden = {a['name'] for a in attrs if (a.get('num') == 2 or a['type'] in OTHERS) and ch.maybe(.9)}
        self.created = 'engine' if ch.maybe(.7) else 'we'
        self.points, self.known = [], {f['name']: [] for f in attrs + dims}
        self.steps, t = [], 10
        for i in range(r.choice([1, 2, 2, 3, 4])):
            self.steps.append(self.write(t, i))
            t += 10
            if self.sparse and ch.maybe(.3):
                self.steps.append(self.delete(t))
                t += 10
        self.consolidates = self.sparse and len(self.steps) > 1 and ch.maybe(.25)

    def who(self):
        by = 'we' if self.ch.maybe(.35) else 'engine'
        return dict(by=by, turn=2 if by == 'we' else 1 if self.created == 'engine' and self.ch.maybe(.7) else 3)

    # ---- cells
    def write(self, t, i):
        ch, s = self.ch, self.s
        if self.sparse:
            n = self.r.choice([1, 5, 20, 60])
            if s['dups']:
                pts = [self.r.choice(self.points) if self.points and ch.maybe(.3) else ch.place(s['dims']) for _ in range(n)]
                self.points += pts
            else:
                pts = ch.coordinates(s['dims'], n, self.points)
            columns = {d['name']: [p[k] for p in pts] for k, d in enumerate(s['dims'])}
            n, box = len(pts), None
        else:
            box = self.whole() if i == 0 and ch.maybe(.4) else self.box()
            n, columns = int(np.prod([hi - lo + 1 for lo, hi in box])), {}
            self.points += [tuple(lo for lo, _ in box), tuple(hi for _, hi in box)]
        columns.update(ch.data(s['attrs'], n))
        for name, values in columns.items():
            values = values[0] if isinstance(values, tuple) else values
            for v in list(values)[:40]:
                if isinstance(v, bytes) or np.ndim(v) == 0:
                    self.known[name].append(v if isinstance(v, (bytes, int, float)) else v.item())
        return dict(self.who(), kind='write', t=t, box=box, columns=columns)

    def whole(self):
        return [(d['lo'], d['hi']) for d in self.s['dims']]

    def box(self):
        out = []
        for lo, hi in self.whole():
            x, y = sorted([self.r.randint(lo, hi), self.r.randint(lo, hi)])
            out.append((x, y))
        return out

    # ---- conditions
    def fields(self, crosswise=False, strict=False):
        """
        Returns the fields that conditions may use. `crosswise`: dense cells are read in an order other than the cell order. `strict`: conditions
        use only values of the enumerations.
        """
        out = []
        values = self.enumerations()
        for f in self.s['dims'] + self.s['attrs']:
            if crosswise and 'lo' in f:                        # see known_engine_defects.ts
                continue
            enum = values.get(f.get('enum'))
            ty, num = f['type'], 'var' if f['type'] == 'string_ascii' and 'lo' in f else f.get('num', 1)
            value_type = enum['type'] if enum else ty
            if num == 2 and ty == 'char' and enum is None:     # see known_engine_defects.ts
                continue
            if f['name'] in self.hidden:
                continue
            known = enum['values'] * 3 if enum else self.known[f['name']]
            bytes_ = value_type.startswith('string') or value_type in BYTES
            out.append(dict(
                name=f['name'], type=ty, num=num, nullable=f.get('nullable', 0), dimension='lo' in f, enumeration=f.get('enum'), value_type=value_type,
                bytes=bytes_, one=bytes_ and num == 1 and enum is None, strict=enum is not None and (strict or self.sparse and f.get('nullable')), known=[v if isinstance(v, bytes) else bytes([v]) if bytes_ else v for v in known],
                ordered=enum['ordered'] if enum else ty not in OTHERS and (num == 1 or bytes_)))
        return out

    def enumerations(self):
        return {e['name']: e for e in self.s['enums']}

    def delete(self, t):
        return dict(self.who(), kind='delete', t=t, where=conditions.Random(self.ch, self.fields(strict=True), nulls=False).text())

    # ---- the engine's turns
    def run(self, e, uri, turn, notes):
        if turn == 1:
            e.create(uri if self.created == 'engine' else uri + '_model', self.s)
        for step in self.steps:
            if step['turn'] != turn:
                continue
            if step['kind'] == 'write':
                e.write(uri, self.s, 'unordered' if self.sparse else 'row-major', step['columns'], step['box'], step['t'])
                continue
            try:
                c = conditions.parsed(e, step['where'], self.fields(), self.enumerations())
                e.delete(uri, c, step['t'])
            except Exception as x:
                notes.append('delete refused: %s: %s' % (step['where'], x))
        if turn == 3 and self.consolidates:
            e.consolidate(uri)

    # ---- tessera's turn
    def ours(self):
        """Returns tessera's steps as JSON."""
        return dict(created=self.created, key=self.key and self.key.decode(), sparse=self.sparse,
                    steps=[self.step_json(x) for x in self.steps if x['by'] == 'we'])

    def step_json(self, x):
        if x['kind'] == 'delete':
            return dict(kind='delete', at=x['t'], where=x['where'])
        box = x['box'] and {d['name']: [record.val(lo, d['type']), record.val(hi, d['type'])] for d, (lo, hi) in zip(self.s['dims'], x['box'])}
        fields = {f['name']: f for f in self.s['dims'] + self.s['attrs']}
        return dict(kind='write', at=x['t'], box=box, columns={name: self.cells_json(fields[name], v) for name, v in x['columns'].items()})

    @staticmethod
    def cells_json(f, values):
        """Returns one JSON value per cell; text as its bytes in hex."""
        valid = None
        if isinstance(values, tuple):
            values, valid = values
        text = f['type'] in BYTES or f['type'].startswith('string')

        def one(v):
            if text:
                return {'hex': (v if isinstance(v, bytes) else np.asarray(v, npt(f['type'])).tobytes()).hex()}
            return [record.val(y, f['type']) for y in v] if np.ndim(v) else record.val(v, f['type'])
        return [None if valid is not None and not valid[i] else one(v) for i, v in enumerate(values)]
