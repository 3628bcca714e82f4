"""Makes the array that `deno task demo` shows, with the real engine (tiledb 0.36.1, which is TileDB 2.30):

    python tests/golden/demo/make.py && python ORACLE/expect.py LIBTILEDB.so tests/golden/demo

A week of temperatures at four stations, written on Monday morning, and corrected a day later.
"""
import os
import shutil

import numpy as np
import tiledb

URI = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'weather')
MONDAY = 1709539200000      # 2024-03-04T08:00Z
TUESDAY = MONDAY + 86400000

shutil.rmtree(URI, ignore_errors=True)
numbers = tiledb.FilterList([tiledb.ByteShuffleFilter(), tiledb.ZstdFilter(level=5)])
text = tiledb.FilterList([tiledb.GzipFilter(level=9)])
tiledb.Array.create(URI, tiledb.ArraySchema(
    domain=tiledb.Domain(tiledb.Dim('day', domain=(1, 366), tile=7, dtype=np.int32),
                         tiledb.Dim('station', domain=(1, 100), tile=10, dtype=np.int32)),
    attrs=[tiledb.Attr('temperature', dtype=np.float32, filters=numbers),
           tiledb.Attr('note', dtype='ascii', var=True, filters=text)]))

week = np.array([[4.5, 5.0, 3.5, 6.0], [5.5, 6.5, 4.0, 7.0], [6.0, 7.0, 5.5, 8.0], [99.0, 99.0, 6.5, 9.5],
                 [3.0, 4.0, 2.5, 5.0], [2.5, 3.0, 1.5, 4.0], [4.0, 5.5, 3.0, 6.5]], dtype=np.float32)
notes = np.full(week.shape, '', dtype='O')
notes[3, :2] = 'sensor stuck?'
notes[4, 2] = 'snow'
with tiledb.open(URI, 'w', timestamp=MONDAY) as a:
    a[57:64, 1:5] = {'temperature': week, 'note': notes}
with tiledb.open(URI, 'w', timestamp=TUESDAY) as a:
    a[60:61, 1:3] = {'temperature': np.array([[7.5, 8.0]], dtype=np.float32),
                     'note': np.array([['corrected', 'corrected']], dtype='O')}
    a.meta['source'] = 'made up'
    a.meta['unit'] = '°C'
