"""Random queries of an array, and the engine's results."""
import math

from oracle import record
from oracle.aggregates import aggregates
from oracle.choose import DATES, FLOATS, INTS, TIMES, Choose
from oracle.engine import EngineError, npt
from oracle.reads import Reads

from queries import conditions

NUMBERS = INTS + FLOATS + DATES + TIMES


class Ask:
    def __init__(self, e, plan, uri):
        self.e, self.plan, self.uri = e, plan, uri
        self.stamps = sorted({x['t'] for x in plan.steps})

    def query(self, seed):
        """Returns a query and its result, or the engine's error; None if there is no cell to query."""
        self.ch = Choose(seed)
        self.r = r = self.ch.r
        times = {}
        if self.ch.maybe(.35):
            a, b = sorted([r.choice(self.stamps), r.choice(self.stamps)])
            times = r.choice([{'end': b}, {'end': b}, {'end': b - 1}, {'start': a, 'end': b}, {'start': a}])
        a = self.e.open(self.uri, end=times.get('end'), start=times.get('start'))
        q = {'times': {k: str(v) for k, v in times.items()}}
        try:
            sch = record.schema(self.e, self.e.new('array_get_schema', a))
            ned = record.non_empty_domain(self.e, a, sch)
            return None if ned is None else self.ask(a, sch, ned, q)
        except EngineError as x:           # it cannot read the array
            return dict(q, refused=str(x))
        finally:
            self.e.close(a)

    def ask(self, a, sch, ned, q):
        e, r, plan = self.e, self.r, self.plan
        reads = Reads(e, self.ch, self.uri, {'points': plan.points}, plan.s['dims'], [])
        dense = sch['array_type'] == 'dense'
        aggregates = self.ch.maybe(.35)
        layout = r.choice(['row-major', 'row-major', 'col-major', 'global-order'] + ([] if dense else ['unordered']))
        q['layout'] = layout
        requested = None
        if self.ch.maybe(.5):
            kind = 'crop' if self.ch.maybe(.15) else 'region'
            requested = reads.region(ned, sch, kind, layout != 'global-order')
            if kind == 'crop' and requested is not None:
                q['outOfBounds'] = 'clip'
        else:
            kind = None
        base = [[n] for n in ned] if dense else [None] * len(ned)
        ranges = [b if x is None else x for x, b in zip(requested or [None] * len(ned), base)]
        tidy = [None if rs is None else reads.tidy(rs, i, sch, kind) for i, rs in enumerate(ranges)]
        if any(rs == [] for rs in tidy):
            return None
        if requested is not None:
            q['ranges'] = record.ranges_json(requested, sch['dimensions'])
        subarray = None if all(x is None for x in tidy) else tidy
        if subarray is not None and reads.loses_cells(a, sch, tidy, {'cells': self.count(a, sch, subarray)}):
            return None                # see known_engine_defects.ts
        condition = None
        if self.ch.maybe(.9 if not aggregates else .5):
            order = 'row-major' if aggregates else layout if layout != 'global-order' else sch['cell_order']
            crosswise = dense and len(ned) > 1 and order != sch['cell_order']
            q['where'] = conditions.Random(self.ch, plan.fields(crosswise), nulls=not crosswise).text()
            try:
                condition = conditions.parsed(e, q['where'], plan.fields(), plan.enumerations())
            except Exception as x:     # an error of the parser or the engine
                return dict(q, refused='%s' % x)
        names = [f['name'] for f in sch['attributes']]
        if aggregates:
            return self.aggregates(a, sch, q, subarray, condition)
        q['select'] = [n for n in names if self.ch.maybe(.7)] if self.ch.maybe(.5) else names
        if not dense or self.ch.maybe(.2):
            q['select'] = [d['name'] for d in sch['dimensions']] + q['select']
        if not q['select']:
            return None
        coordinates = dense and q['select'][0] == sch['dimensions'][0]['name']
        try:
            skip = [n for n in names if n not in q['select']]
            q['cells'], q['columns'] = record.read(e, a, sch, layout, subarray, skip, coordinates, condition=condition)
        except EngineError as x:
            q['refused'] = str(x)
        return q

    def count(self, a, sch, ranges):
        return record.read(self.e, a, sch, 'row-major' if sch['array_type'] == 'dense' else 'unordered', ranges, [x['name'] for x in sch['attributes']], True)[0]

    # ---- aggregates
    def aggregates(self, a, sch, q, ranges, condition):
        dense = sch['array_type'] == 'dense'
        fields = sch['attributes'] + ([] if dense else sch['dimensions'])
        layout = 'row-major' if dense else 'unordered'
        del q['layout']
        try:
            cells, columns = record.read(self.e, a, sch, layout, ranges, condition=condition)
        except EngineError as x:
            return dict(q, refused=str(x), aggregates=[])
        there = range(cells)
        if dense:
            there = [i for i in there if columns['written'][i] != -2 ** 31]
        out = []
        for f in self.r.sample(fields, min(len(fields), self.r.choice([1, 1, 2]))):
            entry = {'field': f['name'], 'answers': {}, 'odd': []}
            text = f['cell_val_num'] == 'var'
            single = f['cell_val_num'] == 1 and f['type'] not in record.TEXT
            values = [self.value(columns[f['name']][i], f['type'], text or not single) for i in there]
            valid = [v for v in values if v is not None]
            kinds = ['nullCount'] if f.get('nullable') else []
            if single and (f['type'] in NUMBERS):
                kinds += ['min', 'max']
                if not f['type'].startswith(('date', 'time')):
                    kinds += ['sum', 'mean']
            elif f['type'] == 'string_ascii' and text:
                kinds += ['min', 'max']
            for kind in ['count'] + [k for k in kinds if self.ch.maybe(.7)]:
                if kind == 'count':
                    entry['answers'][kind] = cells if condition is None else len(values)
                elif kind == 'nullCount':
                    entry['answers'][kind] = len(values) - len(valid)
                else:
                    entry['answers'][kind] = self.expected(kind, valid, f['type'])
            # the engine's counts sometimes differ from one run to the next
            for _ in range(3):
                entry['odd'] = self.odds(a, sch, f, entry['answers'], valid, text, cells if dense else None, ranges, condition)
                if not any(odd.startswith('unknown') for odd in entry['odd']):
                    break
            out.append(entry)
        return dict(q, aggregates=out)

    def odds(self, a, sch, f, answers, valid, var, all_cells, ranges, condition):
        """Returns how the engine's aggregates of a field differ from the aggregates of its cells."""
        try:
            engine = aggregates(self.e, a, sch, f, list(answers), ranges, condition)
        except EngineError as x:
            return ['fails with %s' % x]
        results = [self.odd(kind, answers[kind], result, valid, f['type'], var, all_cells) for kind, result in engine.items()]
        return [odd for odd in results if odd is not None]

    @staticmethod
    def odd(kind, expected, result, valid, ty, var, all_cells):
        """Returns the known defect that makes the engine's aggregate differ from the aggregate of its cells; None if they are equal."""
        about = expected if isinstance(expected, dict) and 'value' in expected else {'value': expected}
        value = about['value']
        if value in (result, 'any'):
            return None
        if all(isinstance(x, (int, float)) for x in (value, result)) and abs(value - result) <= about.get('about', 0):
            return None
        dense = all_cells is not None
        if kind == 'count' and result == all_cells:
            return 'the count of dense cells that match a condition'
        if kind != 'count' and not valid:
            return 'aggregates of an empty selection'
        if any(isinstance(v, float) and not math.isfinite(v) for v in valid):
            return 'aggregates of NaN and infinities'
        if kind in ('sum', 'mean') and npt(ty).kind != 'f' and sum(map(abs, valid)) >= 2 ** (64 if npt(ty).kind == 'u' else 63):
            return 'sums beyond 64 bits'
        if kind == 'mean' and dense:
            return 'the mean of partly written dense tiles'
        if kind in ('min', 'max', 'nullCount') and dense and var:
            return 'statistics of dense text'
        return 'unknown: %s: %s for %s' % (kind, result, expected)

    @staticmethod
    def value(x, ty, raw):
        if x is None:
            return None
        if raw:
            return bytes.fromhex(x['hex']) if isinstance(x, dict) else x.encode() if isinstance(x, str) else x
        return float(x) if npt(ty).kind == 'f' else int(x)

    @staticmethod
    def expected(kind, valid, ty):
        """Returns the aggregate of the cells: {'value': …, 'about': …}, with a tolerance for sums of floats."""
        float_ = npt(ty).kind == 'f'
        if kind in ('min', 'max'):
            valid = [v for v in valid if v == v]
            if not valid:
                return None
            v = min(valid) if kind == 'min' else max(valid)
            return record.text(v) if isinstance(v, bytes) else record.val(v, ty)
        if not float_:
            total = sum(valid)
            if kind == 'sum':
                low, high = (0, 2 ** 64 - 1) if npt(ty).kind == 'u' else (-2 ** 63, 2 ** 63 - 1)
                return str(min(max(total, low), high))
            return None if not valid else {'value': total / len(valid), 'about': abs(total / len(valid)) * 1e-12}
        if kind == 'mean' and not valid:
            return None
        n = len(valid) if kind == 'mean' else 1
        if all(map(math.isfinite, valid)):
            size = math.fsum(map(abs, valid)) if sum(x / 2 ** 60 for x in map(abs, valid)) < 1e280 else math.inf
            if size > 1e300:
                return {'value': 'any'}
            return {'value': math.fsum(valid) / n, 'about': size / n * 1e-9}
        return {'value': record.val(sum(valid) / n, 'float64')}
