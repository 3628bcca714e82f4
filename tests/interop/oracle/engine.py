"""The real engine: ctypes over the C interface of the libtiledb inside the tiledb wheel.

TileDB-Py does not expose all of it (several datatypes, reads in global order, deletes by set, timestamps of evolution).
"""
import ctypes as ct
import glob
import os
import sysconfig
import time

import numpy as np

DATATYPES = (
    'int32 int64 float32 float64 char int8 uint8 int16 uint16 uint32 uint64 string_ascii string_utf8 string_utf16 '
    'string_utf32 string_ucs2 string_ucs4 any datetime_year datetime_month datetime_week datetime_day datetime_hr '
    'datetime_min datetime_sec datetime_ms datetime_us datetime_ns datetime_ps datetime_fs datetime_as time_hr time_min '
    'time_sec time_ms time_us time_ns time_ps time_fs time_as blob bool geom_wkb geom_wkt'
).split()
DT = {name: code for code, name in enumerate(DATATYPES)}
FILTERS = (
    'none gzip zstd lz4 rle bzip2 double_delta bit_width_reduction bitshuffle byteshuffle positive_delta aes256gcm '
    'checksum_md5 checksum_sha256 dictionary scale_float xor deprecated webp delta'
).split()
FT = {name: code for code, name in enumerate(FILTERS)}
OPTIONS = dict(
    level=(0, ct.c_int32), bit_width_max_window=(1, ct.c_uint32), positive_delta_max_window=(2, ct.c_uint32),
    bytewidth=(3, ct.c_uint64), factor=(4, ct.c_double), offset=(5, ct.c_double), webp_quality=(6, ct.c_float),
    webp_input_format=(7, ct.c_uint8), webp_lossless=(8, ct.c_uint8), reinterpret_datatype=(9, ct.c_uint8),
)
LAYOUTS = ['row-major', 'col-major', 'global-order', 'unordered', 'hilbert']
LAYOUT = {name: code for code, name in enumerate(LAYOUTS)}
OPS = dict(lt=0, le=1, gt=2, ge=3, eq=4, ne=5)
VAR = 0xFFFFFFFF
TEXT = {'char', 'string_ascii', 'string_utf8', 'any', 'geom_wkt'}
BYTES = TEXT | {'blob', 'geom_wkb'}
READ, WRITE, DELETE = 0, 1, 2


def npt(name):
    """Returns the numpy type of one value of a datatype."""
    if name.startswith('datetime_') or name.startswith('time_'):
        return np.dtype('int64')
    if name in BYTES:
        return np.dtype('uint8')
    return np.dtype({'bool': 'uint8', 'string_utf16': 'uint16', 'string_ucs2': 'uint16',
                     'string_utf32': 'uint32', 'string_ucs4': 'uint32'}.get(name, name))


class EngineError(Exception):
    """An error of the engine."""


def library():
    site = sysconfig.get_paths()['purelib']
    found = [f for p in ('tiledb.libs/libtiledb*', 'tiledb/libtiledb*', 'tiledb/.dylibs/libtiledb*')
             for f in glob.glob(os.path.join(site, p))]
    if not found:
        raise SystemExit('no libtiledb in %s' % site)
    return ct.CDLL(found[0])


def u64(x):
    return ct.c_uint64(int(x))


def u32(x):
    return ct.c_uint32(int(x))


def pointer(a):
    """Returns a pointer into an array; never null. It keeps the array alive."""
    a = np.ascontiguousarray(a)
    if a.nbytes == 0:
        a = np.zeros(8, 'u1')
    p = ct.c_void_p(a.ctypes.data)
    p.keep = a
    return p


def pack(values, ty, num):
    """Returns values as (data, offsets or None)."""
    if num == 'var':
        parts = [v if isinstance(v, bytes) else np.asarray(v, npt(ty)).tobytes() for v in values]
        ends = np.cumsum([0] + [len(p) for p in parts]).astype('u8')
        return np.frombuffer(b''.join(parts), 'u1'), ends[:-1].copy()
    return np.ascontiguousarray(np.asarray(values, npt(ty))), None


class Range(ct.Structure):
    _fields_ = [('min', ct.c_void_p), ('min_size', ct.c_uint64), ('max', ct.c_void_p), ('max_size', ct.c_uint64)]


class Engine:
    """A context: a key and a configuration. Each method wraps a few calls and raises EngineError."""

    def __init__(self, lib, config=None):
        self.l, self.conf, self.key = lib, dict(config or {}), None
        base = {'sm.compute_concurrency_level': 1, 'sm.io_concurrency_level': 1, **self.conf}
        self.ctx = ct.c_void_p()
        if lib.tiledb_ctx_alloc(self.config(base), ct.byref(self.ctx)) != 0:
            raise EngineError('ctx_alloc')

    def config(self, d):
        cfg, err = ct.c_void_p(), ct.c_void_p()
        self.l.tiledb_config_alloc(ct.byref(cfg), ct.byref(err))
        for k, v in d.items():
            self.l.tiledb_config_set(cfg, k.encode(), str(v).encode(), ct.byref(err))
        return cfg

    def also(self, **config):
        return Engine(self.l, {**self.conf, **{k.replace('__', '.'): v for k, v in config.items()}})

    def keyed(self, key):
        return Engine(self.l, {**self.conf, 'sm.encryption_type': 'AES_256_GCM', 'sm.encryption_key': key.decode()})

    def c(self, name, *args):
        args = [a.encode() if isinstance(a, str) else a for a in args]
        if getattr(self.l, 'tiledb_' + name)(self.ctx, *args) != 0:
            err, msg = ct.c_void_p(), ct.c_char_p()
            self.l.tiledb_ctx_get_last_error(self.ctx, ct.byref(err))
            if err:
                self.l.tiledb_error_message(err, ct.byref(msg))
            raise EngineError('%s: %s' % (name, (msg.value or b'').decode(errors='replace')))

    def new(self, name, *args):
        p = ct.c_void_p()
        self.c(name, *args, ct.byref(p))
        return p

    def out(self, ctype, name, *args):
        p = ctype()
        self.c(name, *args, ct.byref(p))
        return p.value

    # ---- schema
    def filters(self, spec):
        """A list of 'name' or ('name', {option: value}); {'max_chunk_size': n} may come first."""
        fl = self.new('filter_list_alloc')
        for f in spec:
            if isinstance(f, dict):
                self.c('filter_list_set_max_chunk_size', fl, u32(f['max_chunk_size']))
                continue
            name, opts = (f, {}) if isinstance(f, str) else f
            p = self.new('filter_alloc', FT[name])
            for k, v in opts.items():
                o, ty = OPTIONS[k]
                self.c('filter_set_option', p, o, ct.byref(ty(v)))
            self.c('filter_list_add_filter', fl, p)
        return fl

    def attribute(self, a):
        p = self.new('attribute_alloc', a['name'], DT[a['type']])
        num = a.get('num', 1)
        if num != 1 and a['type'] != 'any':      # `any` always has a variable number of values
            self.c('attribute_set_cell_val_num', p, u32(VAR if num == 'var' else num))
        if a.get('filters') is not None:
            self.c('attribute_set_filter_list', p, self.filters(a['filters']))
        if a.get('nullable'):
            self.c('attribute_set_nullable', p, ct.c_uint8(1))
        if a.get('fill') is not None:
            fill = np.frombuffer(a['fill'], 'u1') if isinstance(a['fill'], bytes) else np.array(a['fill'], npt(a['type']))
            if a.get('nullable'):
                self.c('attribute_set_fill_value_nullable', p, pointer(fill), u64(fill.nbytes), ct.c_uint8(a.get('fill_valid', 0)))
            else:
                self.c('attribute_set_fill_value', p, pointer(fill), u64(fill.nbytes))
        if a.get('enum'):
            self.c('attribute_set_enumeration_name', p, a['enum'])
        return p

    def enumeration(self, e):
        d, o = pack(e['values'], e['type'], e.get('num', 1))
        num = VAR if o is not None else e.get('num', 1)
        offs = (None, u64(0)) if o is None else (pointer(o), u64(o.nbytes))
        return self.new('enumeration_alloc', e['name'], DT[e['type']], u32(num), ct.c_int(e.get('ordered', 0)),
                        pointer(d), u64(d.nbytes), *offs)

    def current_domain(self, domain, dims, ranges):
        cd, box, keep = self.new('current_domain_create'), self.new('ndrectangle_alloc', domain), []
        for i, (d, (lo, hi)) in enumerate(zip(dims, ranges)):
            ends = [np.frombuffer(x, 'u1') if isinstance(x, bytes) else np.array([x], npt(d['type'])) for x in (lo, hi)]
            p = [pointer(x) for x in ends]
            rng = Range(p[0].value, ends[0].nbytes, p[1].value, ends[1].nbytes)
            keep += [p, rng]
            self.c('ndrectangle_set_range', box, u32(i), ct.byref(rng))
        self.c('current_domain_set_ndrectangle', cd, box)
        return cd

    def domain(self, dims):
        dom = self.new('domain_alloc')
        for d in dims:
            t = d['type']
            if t == 'string_ascii':
                p = self.new('dimension_alloc', d['name'], DT[t], None, None)
            else:
                ext = None if d['extent'] is None else pointer(np.array([d['extent']], npt(t)))
                p = self.new('dimension_alloc', d['name'], DT[t], pointer(np.array([d['lo'], d['hi']], npt(t))), ext)
            if d.get('filters') is not None:
                self.c('dimension_set_filter_list', p, self.filters(d['filters']))
            self.c('domain_add_dimension', dom, p)
        return dom

    def schema(self, s):
        dom = self.domain(s['dims'])
        sc = self.new('array_schema_alloc', 1 if s.get('sparse') else 0)
        self.c('array_schema_set_domain', sc, dom)
        for e in s.get('enums', []):
            self.c('array_schema_add_enumeration', sc, self.enumeration(e))
        for a in s['attrs']:
            self.c('array_schema_add_attribute', sc, self.attribute(a))
        if 'cell_order' in s:
            self.c('array_schema_set_cell_order', sc, LAYOUT[s['cell_order']])
        if 'tile_order' in s:
            self.c('array_schema_set_tile_order', sc, LAYOUT[s['tile_order']])
        if 'capacity' in s:
            self.c('array_schema_set_capacity', sc, u64(s['capacity']))
        if s.get('dups'):
            self.c('array_schema_set_allows_dups', sc, ct.c_int(1))
        for k in ('coords', 'offsets', 'validity'):
            if s.get(k + '_filters') is not None:
                self.c('array_schema_set_%s_filter_list' % k, sc, self.filters(s[k + '_filters']))
        for lb in s.get('labels', []):
            order = {'unordered': 0, 'increasing': 1, 'decreasing': 2}[lb['order']]
            self.c('array_schema_add_dimension_label', sc, u32(lb['dim']), lb['name'], order, DT[lb['type']])
        if s.get('current_domain'):
            self.c('array_schema_set_current_domain', sc, self.current_domain(dom, s['dims'], s['current_domain']))
        self.c('array_schema_check', sc)
        return sc

    def create(self, uri, s):
        self.c('array_create', uri, self.schema(s))

    # ---- arrays
    def open(self, uri, mode=READ, end=None, start=None):
        a = self.new('array_alloc', uri)
        if start is not None:
            self.c('array_set_open_timestamp_start', a, u64(start))
        if end is not None:
            self.c('array_set_open_timestamp_end', a, u64(end))
        self.c('array_open', a, mode)
        return a

    def close(self, a):
        self.c('array_close', a)
        self.l.tiledb_array_free(ct.byref(a))

    def subarray(self, q, a, dims, ranges):
        """`ranges`: one list of (low, high) per dimension; None is the full domain."""
        sub = self.new('subarray_alloc', a)
        for i, (d, rs) in enumerate(zip(dims, ranges)):
            for lo, hi in rs or []:
                if isinstance(lo, bytes):
                    self.c('subarray_add_range_var', sub, u32(i), lo, u64(len(lo)), hi, u64(len(hi)))
                else:
                    p = [pointer(np.array([x], npt(d['type']))) for x in (lo, hi)]
                    self.c('subarray_add_range', sub, u32(i), *p, None)
        self.c('query_set_subarray_t', q, sub)

    def write(self, uri, s, layout, data, sub=None, t=None):
        """Writes one fragment. `data`: name -> values or (values, validity); a list of these are the submits of a global write."""
        if t is None:
            time.sleep(0.003)
        fields = {**{d['name']: d for d in s['dims']}, **{a['name']: a for a in s['attrs']}}
        for lb in s.get('labels', []):
            fields[lb['name']] = dict(lb, num='var' if lb['type'] == 'string_ascii' else 1)
        a = self.open(uri, WRITE, t)
        try:
            q = self.new('query_alloc', a, 1)
            self.c('query_set_layout', q, LAYOUT[layout])
            if sub is not None:
                self.subarray(q, a, s['dims'], [[r] for r in sub])
            for part in data if isinstance(data, list) else [data]:
                keep = []
                for name, val in part.items():
                    val, valid = val if isinstance(val, tuple) else (val, None)
                    f = fields[name]
                    num = 'var' if 'num' not in f and f['type'] == 'string_ascii' else f.get('num', 1)
                    d, o = pack(val, f['type'], num)
                    keep.append(self.column(q, name, d, o, None if valid is None else np.asarray(valid, 'u1')))
                self.c('query_submit', q)
            self.c('query_finalize', q)
            if self.out(ct.c_int, 'query_get_status', q) != 1:
                raise EngineError('the write did not complete')
            self.l.tiledb_query_free(ct.byref(q))
        finally:
            self.close(a)

    def column(self, q, name, data, offsets, validity):
        """Sets the buffers of a field; returns pointer and size of each kind, which must stay alive."""
        given = {'data': data, 'offsets': offsets, 'validity': validity}
        return {kind: self.buffer(q, kind, name, a) for kind, a in given.items() if a is not None}

    def buffer(self, q, kind, name, a):
        p, n = pointer(a), u64(a.nbytes)
        self.c('query_set_%s_buffer' % kind, q, name, p, ct.byref(n))
        return p, n

    # ---- deletes
    def condition(self, c):
        """('and'|'or', [conditions]), ('not', condition), (field, op, value, type) or (field, 'in'|'not_in', values, type)"""
        if c[0] in ('and', 'or'):
            acc = self.condition(c[1][0])
            for x in c[1][1:]:
                acc = self.new('query_condition_combine', acc, self.condition(x), {'and': 0, 'or': 1}[c[0]])
            return acc
        if c[0] == 'not':
            return self.new('query_condition_negate', self.condition(c[1]))
        field, op, v, ty = c
        if op in ('in', 'not_in'):
            var = isinstance(v[0], bytes)
            d, o = pack(v, ty, 'var' if var else 1)
            if o is None:
                o = np.arange(len(v), dtype='u8') * npt(ty).itemsize
            return self.new('query_condition_alloc_set_membership', field, pointer(d), u64(d.nbytes), pointer(o), u64(o.nbytes),
                            {'in': 6, 'not_in': 7}[op])
        qc = self.new('query_condition_alloc')
        if v is None:
            self.c('query_condition_init', qc, field, None, u64(0), OPS[op])
        else:
            b = np.frombuffer(v, 'u1') if isinstance(v, bytes) else np.array([v], npt(ty))
            self.c('query_condition_init', qc, field, pointer(b), u64(b.nbytes), OPS[op])
        return qc

    def delete(self, uri, condition, t=None):
        """`condition` as above, or the engine's own."""
        if t is None:
            time.sleep(0.003)
        a = self.open(uri, DELETE, t)
        try:
            q = self.new('query_alloc', a, DELETE)
            self.c('query_set_condition', q, self.condition(condition) if isinstance(condition, tuple) else condition)
            self.c('query_submit', q)
            self.c('query_finalize', q)
        finally:
            self.close(a)

    # ---- metadata and groups
    def put(self, a, key, ty, value, of='array'):
        d = np.frombuffer(value, 'u1') if isinstance(value, bytes) else np.array(value, npt(ty))
        n = d.nbytes // npt(ty).itemsize
        self.c(of + '_put_metadata', a, key, DT[ty], u32(n), pointer(d) if n > 0 else None)

    def metadata(self, uri, ops, t=None):
        """[('put', key, type, value) | ('del', key)]"""
        if t is None:
            time.sleep(0.003)
        a = self.open(uri, WRITE, t)
        try:
            for o in ops:
                if o[0] == 'put':
                    self.put(a, *o[1:])
                else:
                    self.c('array_delete_metadata', a, o[1])
        finally:
            self.close(a)

    def group(self, uri, ops, t=None):
        """('add', uri, relative, name), ('remove', name), ('put', key, type, value), ('del', key)"""
        if t is None:
            time.sleep(0.003)
        e = self if t is None else self.also(sm__group__timestamp_end=t)
        g = e.new('group_alloc', uri)
        e.c('group_open', g, 1)
        try:
            for o in ops:
                if o[0] == 'add':
                    e.c('group_add_member', g, o[1], ct.c_uint8(o[2]), o[3])
                elif o[0] == 'remove':
                    e.c('group_remove_member', g, o[1])
                elif o[0] == 'put':
                    e.put(g, *o[1:], of='group')
                else:
                    e.c('group_delete_metadata', g, o[1])
        finally:
            e.c('group_close', g)

    # ---- maintenance
    def consolidate(self, uri, mode='fragments', conf=None):
        # the default buffers use gigabytes
        d = {**self.conf, 'sm.consolidation.mode': mode, 'sm.consolidation.steps': 1, 'sm.consolidation.buffer_size': 100000,
             'sm.mem.total_budget': 1 << 28, **(conf or {})}
        self.c('array_consolidate', uri, self.config(d))

    def vacuum(self, uri, mode='fragments', conf=None):
        self.c('array_vacuum', uri, self.config({**self.conf, 'sm.vacuum.mode': mode, **(conf or {})}))

    def evolve(self, uri, ops, t=None):
        """('add', attribute) ('drop', name) ('enum', dict) ('extend', dict) ('dropenum', name) ('current_domain', dims, ranges)"""
        e = self.new('array_schema_evolution_alloc')
        if t is not None:
            self.c('array_schema_evolution_set_timestamp_range', e, u64(t), u64(t))
        else:
            time.sleep(0.003)
        for o in ops:
            if o[0] == 'add':
                self.c('array_schema_evolution_add_attribute', e, self.attribute(o[1]))
            elif o[0] == 'drop':
                self.c('array_schema_evolution_drop_attribute', e, o[1])
            elif o[0] == 'enum':
                self.c('array_schema_evolution_add_enumeration', e, self.enumeration(o[1]))
            elif o[0] == 'dropenum':
                self.c('array_schema_evolution_drop_enumeration', e, o[1])
            elif o[0] == 'extend':
                a = self.open(uri)
                old = self.new('array_get_enumeration', a, o[1]['name'])
                d, of = pack(o[1]['values'], o[1]['type'], o[1].get('num', 1))
                offs = (None, u64(0)) if of is None else (pointer(of), u64(of.nbytes))
                nw = self.new('enumeration_extend', old, pointer(d), u64(d.nbytes), *offs)
                self.c('array_schema_evolution_extend_enumeration', e, nw)
                self.close(a)
            else:
                dom = self.domain(o[1])
                self.c('array_schema_evolution_expand_current_domain', e, self.current_domain(dom, o[1], o[2]))
        self.c('array_evolve', uri, e)
