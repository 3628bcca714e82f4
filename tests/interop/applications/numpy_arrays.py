"""NumPy arrays written by tiledb.from_numpy, and as metadata."""
import os

import numpy as np
import tiledb

from . import answers


def write(folder):
    g, out = np.random.default_rng(13), []
    arrays = {
        'vector': g.normal(size=50), 'matrix': g.integers(-100, 100, (7, 9)).astype('i2'), 'cube': g.normal(size=(3, 4, 5)).astype('f4'),
        'fortran': np.asfortranarray(g.integers(0, 9, (4, 6))), 'big': g.integers(0, 2 ** 63, (5, 4)).astype('u8'), 'flags': g.random((6, 3)) > .5,
        'days': np.array(['2020-02-29', '1969-12-31', 'NaT'], 'M8[D]'), 'nanoseconds': np.array([1, -1, 10 ** 18], 'M8[ns]'),
        'complex': (g.normal(size=4) + 1j * g.normal(size=4)), 'pairs': np.array([(1, 2), (3, 4)], 'i4,i4'), 'long': np.arange(30_000, dtype='i4').reshape(300, 100),
    }
    for name, values in arrays.items():
        uri = os.path.join(folder, name)
        tiledb.from_numpy(uri, values).close()
        with tiledb.open(uri) as a:
            back = a[:]
            assert np.array_equal(back, values, equal_nan=values.dtype.kind in 'fM'), name
            if values.ndim == 2 and name != 'long':
                out.append(answers.grid('region', name, '', a[1:3, 0:2], __dim_0=['1', '2'], __dim_1=['0', '1']))
        out.append(answers.grid('array', name, '', back))

    meta = {
        'flat': np.array([1, 2, 3], 'i4'), 'grid': np.arange(6, dtype='f8').reshape(2, 3), 'cube': np.arange(24).reshape(2, 3, 4), 'fortran': np.asfortranarray(np.arange(6).reshape(2, 3)),
        'empty': np.array([], 'i8'), 'no_rows': np.zeros((0, 3), 'f4'), 'zero_dimensions': np.array(5), 'one': np.array([7], 'u2'), 'flags': np.array([True, False]),
        'days': np.array(['2020-01-01', '1960-05-05'], 'M8[D]'), 'bytes_array': np.array([b'a', b'b']), 'nan': np.array([[np.nan, np.inf, -0.0]]),
        'text': 'héllo 漢', 'bytes': b'\x01\x02\xff', 'int': 5, 'float': 1.5, 'ints': (1, 2, 3), 'floats': (1.5, -2.5), 'no_text': '', 'no_bytes': b'', '': 'no key', 'replaced': 1,
    }
    group = os.path.join(folder, 'group')
    tiledb.Group.create(group)
    for uri, opened in (('vector', lambda m: tiledb.open(os.path.join(folder, 'vector'), m)), ('group', lambda m: tiledb.Group(group, m))):
        for part in (meta, {'replaced': np.ones((2, 2))}):
            with opened('w') as a:
                for k, v in part.items():
                    a.meta[k] = v
        with opened('r') as a:
            out.append(answers.metadata('metadata', uri, {k: a.meta[k] for k in a.meta}))
    return out
