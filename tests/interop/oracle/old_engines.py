"""Engines of all ages, one of each format version: `old_engines.py CACHE [FORMAT…]` fetches them and prints where they are.

They are the libtiledb of wheels of TileDB-Py, which pip downloads and which are unpacked to CACHE/<format>/. The last line
printed is a JSON object: format -> library.
"""
import ctypes as ct
import glob
import json
import os
import shutil
import subprocess
import sys
import zipfile

import numpy as np

from . import record
from .engine import VAR, Engine, EngineError, npt, pointer, u32, u64

# format -> (engine, TileDB-Py, Python, ABI)
ENGINES = {
    3: ('1.6.3', '0.4.4', '3.7', 'cp37m'),
    4: ('1.7.7', '0.5.9', '3.7', 'cp37m'),
    5: ('2.0.8', '0.6.6', '3.7', 'cp37m'),
    6: ('2.1.6', '0.7.7', '3.7', 'cp37m'),
    7: ('2.2.2', '0.8.0', '3.7', 'cp37m'),
    8: ('2.2.9', '0.8.11', '3.7', 'cp37m'),
    9: ('2.3.3', '0.9.5', '3.7', 'cp37m'),
    10: ('2.5.3', '0.11.5', '3.7', 'cp37m'),
    11: ('2.7.2', '0.13.3', '3.9', 'cp39'),
    12: ('2.8.3', '0.14.5', '3.9', 'cp39'),
    13: ('2.9.5', '0.15.6', '3.9', 'cp39'),
    14: ('2.10.4', '0.16.5', '3.9', 'cp39'),
    15: ('2.11.3', '0.17.6', '3.9', 'cp39'),
    16: ('2.12.3', '0.18.3', '3.9', 'cp39'),
    17: ('2.14.0', '0.20.0', '3.9', 'cp39'),
    18: ('2.15.4', '0.21.6', '3.9', 'cp39'),
    19: ('2.16.3', '0.22.3', '3.9', 'cp39'),
    20: ('2.17.4', '0.23.4', '3.9', 'cp39'),
    21: ('2.19.2', '0.25.1', '3.9', 'cp39'),
}
PLATFORMS = ['manylinux1_x86_64', 'manylinux2010_x86_64', 'manylinux2014_x86_64', 'manylinux_2_17_x86_64', 'manylinux_2_28_x86_64']


def found(cache, format_):
    """The library of a format's engine, if it is there."""
    files = [os.path.join(base, f) for base, _, names in os.walk(os.path.join(cache, str(format_))) for f in names]
    return max((f for f in files if os.path.basename(f).startswith('libtiledb')), key=os.path.getsize, default=None)


def fetch(cache, format_):
    """Downloads an engine; two may do that at once."""
    _, version, python, abi = ENGINES[format_]
    making = os.path.join(cache, '%d.%d' % (format_, os.getpid()))
    command = [sys.executable, '-m', 'pip', 'download', '-q', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:',
               '--python-version', python, '--implementation', 'cp', '--abi', abi, '-d', making]
    for p in PLATFORMS:
        command += ['--platform', p]
    subprocess.run(command + ['tiledb==' + version], check=True)
    [wheel] = glob.glob(os.path.join(making, '*.whl'))
    with zipfile.ZipFile(wheel) as z:
        for n in z.namelist():
            if '.so' in os.path.basename(n) and '.cpython-' not in os.path.basename(n):
                z.extract(n, making)
    os.remove(wheel)
    try:
        os.rename(making, os.path.join(cache, str(format_)))
    except OSError:
        shutil.rmtree(making)    # somebody else was faster


class OldEngine(Engine):
    """An engine of any age, to read with."""

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
        """Raw bounds a dimension, or None."""
        if self.has('array_get_non_empty_domain_from_index'):
            return record.non_empty_domain(self, a, {'dimensions': dims})
        empty, x, ty = ct.c_int(), ct.create_string_buffer(16 * len(dims)), npt(dims[0]['type'])
        self.c('array_get_non_empty_domain', a, x, ct.byref(empty))
        v = np.frombuffer(x.raw[:2 * ty.itemsize * len(dims)], ty)
        return None if empty.value else [(v[2 * i].item(), v[2 * i + 1].item()) for i in range(len(dims))]

    # ---- reads
    def ranges(self, q, a, dims, ranges):
        """One list of (low, high) a dimension; None is all of it. Answers what has to be kept."""
        if self.has('subarray_alloc') and self.has('query_set_subarray_t'):
            return self.subarray(q, a, dims, ranges)
        if not self.has('query_add_range') or self.v < (2, 0):
            flat = pointer(np.array([x for [r] in ranges for x in r], npt(dims[0]['type'])))
            self.c('query_set_subarray', q, flat)
            return [flat]
        keep = []
        for i, (d, rs) in enumerate(zip(dims, ranges)):
            for lo, hi in rs or []:
                if isinstance(lo, bytes):
                    self.c('query_add_range_var', q, u32(i), lo, u64(len(lo)), hi, u64(len(hi)))
                else:
                    keep.append([pointer(np.array([x], npt(d['type']))) for x in (lo, hi)])
                    self.c('query_add_range', q, u32(i), *keep[-1], None)
        return keep

    def read(self, a, sch, layout, ranges=None, room=1 << 22):
        """The columns, as record.read has them."""
        dims, dense = sch['dimensions'], sch['array_type'] == 'dense'
        q = self.new('query_alloc', a, 0)
        self.c('query_set_layout', q, {'row-major': 0, 'col-major': 1, 'global-order': 2, 'unordered': 3}[layout])
        keep = ranges and self.ranges(q, a, dims, ranges)
        zipped = not dense and self.v < (2, 0)         # one buffer for all coordinates
        fields = [(d['name'], d['type'], d['cell_val_num'], False) for d in dims if not dense and not zipped]
        fields += [('__coords', dims[0]['type'], len(dims), False)] if zipped else []
        fields += [(x['name'], x['type'], x['cell_val_num'], x['nullable']) for x in sch['attributes']]
        columns = [(*f, self.buffers(q, f, room)) for f in fields]
        self.c('query_submit', q)
        status = self.out(ct.c_int, 'query_get_status', q)
        self.l.tiledb_query_free(ct.byref(q))
        if status != 1:
            raise EngineError('the read does not complete')
        out = {}
        for name, ty, num, _, bufs in columns:
            data, offs, valid = [bufs[k][0][:bufs[k][1].value // bufs[k][0].itemsize] if k in bufs else None for k in ('data', 'offsets', 'validity')]
            raw, num = data.tobytes(), VAR if num == 'var' else num
            if name != '__coords':
                out[name] = record.cells(raw, offs, valid, ty, num)
                continue
            places = np.frombuffer(raw, 'V%d' % npt(ty).itemsize).reshape(-1, num)
            out.update((d['name'], record.cells(places[:, i].tobytes(), None, None, ty, 1)) for i, d in enumerate(dims))
        return out

    def buffers(self, q, field, room):
        """Sets buffers of a field."""
        name, _, num, nullable = field
        bufs = {}
        for kind, wanted, ty in (('offsets', num == 'var', 'u8'), ('data', True, 'u1'), ('validity', nullable, 'u1')):
            if wanted:
                a = np.empty(room // np.dtype(ty).itemsize, ty)
                bufs[kind] = (a, u64(a.nbytes))
        given = {k: (pointer(a), ct.byref(n)) for k, (a, n) in bufs.items()}
        if self.has('query_set_data_buffer'):
            for kind, at in given.items():
                self.c('query_set_%s_buffer' % kind, q, name, *at)
        else:
            which = ('_var' if num == 'var' else '') + ('_nullable' if nullable else '')
            self.c('query_set_buffer' + which, q, name, *(x for at in given.values() for x in at))
        return bufs


def main():
    cache, *wanted = sys.argv[1:]
    os.makedirs(cache, exist_ok=True)
    formats = [int(x) for x in wanted] or list(ENGINES)
    for format_ in formats:
        if found(cache, format_) is None:
            fetch(cache, format_)
    print(json.dumps({f: found(cache, f) for f in formats}))


if __name__ == '__main__':
    main()
