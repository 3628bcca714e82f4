"""Random conditions as text, and their conversion to conditions of the engine: TileDB-Py's parser calls the engine's C interface."""
import ctypes as ct
import json
import keyword
import unicodedata

import numpy as np
import tiledb.query_condition as py

from oracle.choose import INTS
from oracle.engine import OPS, EngineError, npt, pointer, u64

COMPARISONS = {'<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge', '==': 'eq', '!=': 'ne'}
TEXTS = ('string_ascii', 'string_utf8', 'char')


# ---- TileDB-Py's parser with handles of this engine
class Handle:
    """Replaces PyQueryCondition in the parser: that of TileDB-Py 0.36.1 does not support sets of int16, uint8 and bool."""
    engine, types = None, {}

    def __init__(self, ctx=None, handle=None):
        self.handle = handle

    def combine(self, other, op):
        return Handle(None, self.engine.new('query_condition_combine', self.handle, other.handle, int(op)))

    def negate(self):
        return Handle(None, self.engine.new('query_condition_negate', self.handle))

    @classmethod
    def raw(cls, name, value):
        if isinstance(value, (str, bytes)):
            return np.frombuffer(value.encode() if isinstance(value, str) else value, 'u1')
        return np.array([value], npt(cls.types[name]))

    def __getattr__(self, name):
        if not name.startswith('init_'):
            raise AttributeError(name)

        def init(field, *given):
            self.handle = self.engine.new('query_condition_alloc')
            if name == 'init_null':
                self.engine.c('query_condition_init', self.handle, field, None, u64(0), int(given[0]))
            else:
                b = self.raw(field, given[0])
                self.engine.c('query_condition_init', self.handle, field, pointer(b), u64(b.nbytes), int(given[1]))
        return init


def create(ctx, field, values, op):
    parts = [Handle.raw(field, v) for v in values]
    d = np.concatenate([p.view('u1') for p in parts]) if parts else np.zeros(0, 'u1')
    o = np.cumsum([0] + [p.nbytes for p in parts][:-1]).astype('u8')
    e = Handle.engine
    return Handle(None, e.new('query_condition_alloc_set_membership', field, pointer(d), u64(d.nbytes), pointer(o), u64(o.nbytes), int(op)))


class Names:
    """Replaces tiledb.main in the parser."""
    PyQueryCondition = Handle

    def __getattr__(self, name):
        return getattr(tiledb_main, name)


tiledb_main, py.qc = py.qc, Names()


class Tree(py.QueryConditionTree):
    """TileDB-Py's parser, with support for negative numbers in lists and for sets of every datatype."""

    def get_value_from_node(self, node):
        return super().get_value_from_node(self.visit(node) if isinstance(node, py.ast.UnaryOp) else node)

    def init_pyqc(self, pyqc, dtype):
        return getattr(pyqc, 'init_null' if dtype is None else 'init_value')

    def create_pyqc(self, dtype):
        return create


class Known:
    """Replaces the array in the parser: TileDB-Py cannot open all of these arrays."""

    def __init__(self, fields, enumerations):
        self.fields, self.enumerations = {f['name']: f for f in fields}, enumerations
        self.schema = self.domain = self
        self.sparse = True             # the parser of 0.36.1 refuses dense dimensions, the engine does not

    def has_attr(self, name):
        return name in self.fields and not self.fields[name]['dimension']

    def has_dim(self, name):
        return name in self.fields and self.fields[name]['dimension']

    def attr_or_dim_dtype(self, name):
        if name not in self.fields:
            raise EngineError('no such field: %s' % name)
        return self.dtype(self.fields[name]['type'])

    @staticmethod
    def dtype(ty):
        if ty in TEXTS or ty.startswith('string') or ty in ('blob', 'geom_wkb', 'geom_wkt', 'any'):
            return np.dtype('S1')
        return np.dtype('bool') if ty == 'bool' else npt(ty)

    def attr(self, name):
        f = self.fields[name]
        return type('Attr', (), {'dtype': self.dtype(f['type']), 'enum_label': f.get('enumeration')})

    def enum(self, name):
        return type('Enum', (), {'dtype': self.dtype(self.enumerations[name]['type'])})


def parsed(engine, text, fields, enumerations):
    """Returns the engine's condition of a text. Raises TileDBError and others, or EngineError."""
    Handle.engine = engine
    Handle.types = {f['name']: enumerations[f['enumeration']]['type'] if f.get('enumeration') else f['type'] for f in fields}
    return Tree(None, Known(fields, enumerations), []).visit(py.ast.parse('(%s)' % text, mode='eval').body).handle


# ---- random conditions
class Random:
    """`fields`: dicts of name, type, num, nullable, dimension, enumeration (or none) and `known`, some of the written values."""

    def __init__(self, choose, fields, nulls=True):
        self.ch, self.r, self.fields, self.nulls = choose, choose.r, fields, nulls

    def text(self):
        return self.node(0)[0]

    def node(self, depth):
        """Returns a text and its precedence: 0 or, 1 and, 2 not, 3 comparison, 5 parentheses."""
        r = self.r
        if depth < 3 and self.ch.maybe([.45, .3, .2][depth]):
            kind = r.choice(['and', 'and', 'or', 'or', 'not', '&', '|'])
            if kind == 'not':
                return 'not ' + self.at_least(2, self.node(depth + 1)), 2
            parts = [self.node(depth + 1) for _ in range(r.choice([2, 2, 3]))]
            if kind in '&|':
                return (' %s ' % kind).join(self.at_least(5, p) for p in parts), 4
            return (' %s ' % kind).join(self.at_least({'or': 1, 'and': 2}[kind], p) for p in parts), {'or': 0, 'and': 1}[kind]
        return self.test()

    def at_least(self, tight, part):
        text, binds = part
        return '(%s)' % text if binds < tight or self.ch.maybe(.1) else text

    def test(self):
        r = self.r
        f = r.choice(self.fields)
        name = self.name(f)
        if self.nulls and self.ch.maybe(.25 if f.get('nullable') else .02):
            op = r.choice(['==', '!='])
            return ('None %s %s' % (op, name) if self.ch.maybe(.1) else '%s %s None' % (name, op)), 3
        ordered = f['ordered'] or self.ch.maybe(.02)
        if self.ch.maybe(.3) and not name.startswith('dim('):
            values = [self.literal(f) for _ in range(r.choice([1, 2, 3, 3, 8]))]
            # see known_engine_defects.ts
            values = [v for v in values if v not in ('0.0', '-0.0')] or ['1']
            return '%s %s [%s]' % (name, r.choice(['in', 'in', 'not in']), ', '.join(values)), 3
        ops = list(COMPARISONS) if ordered else ['==', '!=']
        how = r.random()
        if how < .12 and ordered:
            return '%s %s %s %s %s' % (self.literal(f), r.choice(['<', '<=']), name, r.choice(['<', '<=', '!=']), self.value(f)), 3
        if how > .9 and not f['strict'] and f['value_type'] in INTS and not f.get('enumeration'):
            return self.fraction(f, name), 3
        if how < .25:
            return '%s %s %s' % (self.literal(f), r.choice(ops), name), 3
        return '%s %s %s' % (name, r.choice(ops), self.value(f)), 3

    def fraction(self, f, name):
        """Returns a comparison of an integer with a fraction: one for which truncation, as in TileDB-Py, keeps the meaning."""
        v = self.sample(f)
        if abs(v) > 2 ** 30:
            return '%s < %r' % (name, 100.5)
        if v < 0 or f['value_type'][0] != 'u' and self.ch.maybe(.2):
            return '%s %s %r' % (name, self.r.choice(['<', '>=']), -abs(v) - .5 if abs(v) < 127 else -.5)
        return '%s %s %r' % (name, self.r.choice(['>', '<=']), v + self.r.choice([.1, .5, .999]))

    def name(self, f):
        name = f['name']
        plain = name.isidentifier() and name.isascii() and not keyword.iskeyword(name) and name not in ('None', 'True', 'False', 'nan', 'inf')
        if plain and not self.ch.maybe(.08):
            return name
        return '%s(%s)' % ('dim' if f['dimension'] else 'attr', self.quoted(name))

    def quoted(self, text):
        """Returns a string literal: in one of Python's forms."""
        how = self.r.random()
        if how < .1 and len(text) > 1:
            at = self.r.randrange(1, len(text))
            return self.r.choice(['%s %s', '%s%s', '%s\n%s', '%s # " comment\n %s']) % (self.plain(text[:at]), self.plain(text[at:]))
        if how < .2 and text.isprintable() and '\\' not in text and not text.endswith(("'", '"')):
            quotes = self.r.choice(['"""', "'''"])
            if quotes not in text:
                return self.r.choice(['', 'r', 'u', 'R']) + quotes + text + quotes
        if how < .25 and text.isascii() and text.isprintable() and '\\' not in text and text:
            return '"\\N{%s}%s"' % (unicodedata.name(text[0]), text[1:].replace('"', '\\x22'))
        return self.plain(text)

    def plain(self, text):
        if self.ch.maybe(.4) and "'" not in text and '\\' not in text and text.isprintable():
            return "'%s'" % text
        return json.dumps(text, ensure_ascii=self.ch.maybe(.3) and all(ord(c) < 0x10000 for c in text))

    def value(self, f):
        """Returns a literal, sometimes as val(…); not on the left side, where the parser reads it as a field."""
        v = self.literal(f)
        return 'val(%s)' % v if self.ch.maybe(.08) and v[0] not in '+-' else v

    def literal(self, f):
        """Returns a literal: a written value, one close to it, or any."""
        v, ty = self.sample(f), f['value_type']
        if isinstance(v, bytes):
            try:
                text = v.decode()
                if ty not in ('string_utf8', 'string_ascii') and self.ch.maybe(.3):
                    raise ValueError
                return self.quoted(text)
            except ValueError:
                return 'b"%s"' % ''.join('\\x%02x' % c for c in v)
        if ty == 'bool':
            return self.r.choice([['False', '0'], ['True', '1']][int(v)]) if v in (0, 1) else str(v)
        if isinstance(v, float):
            if v == int(v) if np.isfinite(v) and abs(v) < 1e15 else False:
                return self.r.choice([repr(v), str(int(v))]) if v != 0 else repr(v)
            return repr(v).replace('inf', '1e999')
        if v in (0, 1) and self.ch.maybe(.3):
            return ['False', 'True'][v]
        if v >= 0 and self.ch.maybe(.05):
            return self.r.choice([hex(v), '+%d' % v])
        return str(v)

    def sample(self, f):
        r, ty = self.r, f['value_type']
        known = f['known']
        if f['strict']:                # see known_engine_defects.ts
            v = r.choice(known)
            return 0.5 if v != v else v
        v = r.choice(known) if known and self.ch.maybe(.85) else None
        if ty in TEXTS or f['bytes']:
            if v is None:
                v = self.ch.text(ty if f['bytes'] else 'string_ascii', 'words' if self.ch.maybe(.5) else None)
            elif self.ch.maybe(.2) and ty in TEXTS:
                v = r.choice([v + b'a', v[:-1], v.upper(), b'', v + b'\x00'])
                v = v if self.whole(v) else b'x'
            if f['one'] and len(v) != 1:   # see known_engine_defects.ts
                v = b'x'
            return v
        if v is None:
            v = self.ch.fixed(ty, 1, None)[0].item()
        if npt(ty).kind == 'f':
            v = 0.5 if v != v else v
            if self.ch.maybe(.15):
                v = float(npt(ty).type(v + r.choice([-1, -.5, .5, 1, 1e-9])))
            return v
        if ty != 'bool' and self.ch.maybe(.25):
            v = v + r.choice([-1, 1])
        return v

    @staticmethod
    def whole(v):
        try:
            return v.decode() is not None
        except UnicodeDecodeError:
            return False
