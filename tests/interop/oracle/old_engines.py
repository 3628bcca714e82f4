"""Engines of any age, with the methods of `Engine`: missing functions are replaced by the calls of their version."""
import ctypes as ct

import numpy as np

from . import record
from .engine import VAR, Engine, EngineError, npt, pointer, u32, u64


class OldEngine(Engine):
    """An engine of any age."""

    def __init__(self, lib, key=None):
        v = [ct.c_int() for _ in range(3)]
        lib.tiledb_version(*map(ct.byref, v))
        self.l, self.v, self.key = lib, tuple(x.value for x in v), key
        config = {'sm.compute_concurrency_level': 1, 'sm.io_concurrency_level': 1}
        if self.v < (2, 0):
            config = {'sm.num_reader_threads': 1, 'sm.num_writer_threads': 1, 'sm.num_tbb_threads': 1}
        if key is not None and not self.has('array_open_with_key'):
            config.update({'sm.encryption_type': 'AES_256_GCM', 'sm.encryption_key': key.decode()})
        self.ctx = ct.c_void_p()
        if lib.tiledb_ctx_alloc(self.config(config), ct.byref(self.ctx)) != 0:
            raise EngineError('ctx_alloc')

    def has(self, name):
        return hasattr(self.l, 'tiledb_' + name)

    def open(self, uri, mode=0, end=None, start=None):
        a = self.new('array_alloc', uri)
        if end is not None and self.has('array_set_open_timestamp_end'):
            self.c('array_set_open_timestamp_end', a, u64(end))
            end = None
        if self.key is not None and self.has('array_open_with_key'):
            key = (1, self.key, u32(len(self.key)))
            self.c(*(('array_open_with_key', a, mode, *key) if end is None else ('array_open_at_with_key', a, mode, *key, u64(end))))
        elif end is not None:
            self.c('array_open_at', a, mode, u64(end))
        else:
            self.c('array_open', a, mode)
        return a

    def non_empty_domain(self, a, dims):
        """Returns the raw bounds of each dimension, or None."""
        if self.has('array_get_non_empty_domain_from_index'):
            return record.non_empty_domain(self, a, {'dimensions': dims})
        empty, x, ty = ct.c_int(), ct.create_string_buffer(16 * len(dims)), npt(dims[0]['type'])
        self.c('array_get_non_empty_domain', a, x, ct.byref(empty))
        v = np.frombuffer(x.raw[:2 * ty.itemsize * len(dims)], ty)
        return None if empty.value else [(v[2 * i].item(), v[2 * i + 1].item()) for i in range(len(dims))]

    # ---- regions
    def subarray(self, q, a, dims, ranges):
        if self.has('subarray_alloc') and self.has('query_set_subarray_t'):
            super().subarray(q, a, dims, ranges)
        elif len({d['type'] for d in dims}) == 1 and all(rs and len(rs) == 1 and not isinstance(rs[0][0], bytes) for rs in ranges):
            self.c('query_set_subarray', q, pointer(np.array([x for [r] in ranges for x in r], npt(dims[0]['type']))))
        else:
            for i, (d, rs) in enumerate(zip(dims, ranges)):
                for lo, hi in rs or []:
                    if isinstance(lo, bytes):
                        self.c('query_add_range_var', q, u32(i), lo, u64(len(lo)), hi, u64(len(hi)))
                    else:
                        self.c('query_add_range', q, u32(i), *(pointer(np.array([x], npt(d['type']))) for x in (lo, hi)), None)

    # ---- writes
    def create(self, uri, s):
        if self.key is not None and self.has('array_create_with_key'):
            self.c('array_create_with_key', uri, self.schema(s), 1, self.key, u32(len(self.key)))
        else:
            super().create(uri, s)

    def write(self, uri, s, layout, data, sub=None, t=None):
        """Like `Engine.write`, except that 1.x always writes at the current time."""
        if self.v < (2, 0):
            t, names = None, [d['name'] for d in s['dims']]
            if s.get('sparse'):
                zipped = dict(name='__coords', type=s['dims'][0]['type'], num=len(names))
                data = {**data, '__coords': list(zip(*(data[n] for n in names)))}
                s, data = dict(s, attrs=s['attrs'] + [zipped]), {k: v for k, v in data.items() if k not in names}
        super().write(uri, s, layout, data, sub, t)

    def column(self, q, name, data, offsets, validity):
        if self.has('query_set_data_buffer'):
            return super().column(q, name, data, offsets, validity)
        given = {'offsets': offsets, 'data': data, 'validity': validity}
        given = {kind: (pointer(a), u64(a.nbytes)) for kind, a in given.items() if a is not None}
        which = ('_var' if offsets is not None else '') + ('_nullable' if validity is not None else '')
        self.c('query_set_buffer' + which, q, name, *(x for p, n in given.values() for x in (p, ct.byref(n))))
        return given

    # ---- reads
    def read(self, a, sch, layout, ranges=None, room=1 << 22):
        """Returns the columns in the form of record.read."""
        dims, dense = sch['dimensions'], sch['array_type'] == 'dense'
        q = self.new('query_alloc', a, 0)
        self.c('query_set_layout', q, {'row-major': 0, 'col-major': 1, 'global-order': 2, 'unordered': 3}[layout])
        if ranges:
            self.subarray(q, a, dims, ranges)
        zipped = not dense and self.v < (2, 0)         # one buffer for all coordinates
        fields = [(d['name'], d['type'], d['cell_val_num'], False) for d in dims if not dense and not zipped]
        fields += [('__coords', dims[0]['type'], len(dims), False)] if zipped else []
        fields += [(x['name'], x['type'], x['cell_val_num'], x['nullable']) for x in sch['attributes']]
        columns = []
        for name, ty, num, nullable in fields:
            arrays = [np.empty(room, 'u1'), np.empty(room // 8, 'u8') if num == 'var' else None, np.empty(room, 'u1') if nullable else None]
            columns.append((name, ty, num, arrays, self.column(q, name, *arrays)))
        self.c('query_submit', q)
        status = self.out(ct.c_int, 'query_get_status', q)
        self.l.tiledb_query_free(ct.byref(q))
        if status != 1:
            raise EngineError('the read does not complete')
        out = {}
        for name, ty, num, arrays, given in columns:
            data, offs, valid = [a if a is None else a[:given[kind][1].value // a.itemsize]
                                 for kind, a in zip(('data', 'offsets', 'validity'), arrays)]
            raw, num = data.tobytes(), VAR if num == 'var' else num
            if name != '__coords':
                out[name] = record.cells(raw, offs, valid, ty, num)
                continue
            places = np.frombuffer(raw, 'V%d' % npt(ty).itemsize).reshape(-1, num)
            out.update((d['name'], record.cells(places[:, i].tobytes(), None, None, ty, 1)) for i, d in enumerate(dims))
        return out
