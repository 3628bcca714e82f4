"""Arrays with extended and evolved enumerations, written by TileDB-Py."""
import os
import time

import numpy as np
import pandas as pd
import tiledb

from . import answers


def write(folder):
    out = []
    ctx = tiledb.default_ctx()
    for sparse in (False, True):
        name = 'sparse' if sparse else 'dense'
        uri = os.path.join(folder, name)
        dom = tiledb.Domain(tiledb.Dim('x', domain=(1, 8), tile=4, dtype='i4'))
        colors = tiledb.Enumeration('colors', False, np.array(['red', 'größe', 'blue']))
        sizes = tiledb.Enumeration('sizes', True, np.array([36, 38, 40], 'i4'))
        attrs = [tiledb.Attr('color', dtype='i1', enum_label='colors', nullable=True), tiledb.Attr('size', dtype='u2', enum_label='sizes')]
        tiledb.Array.create(uri, tiledb.ArraySchema(dom, attrs, sparse=sparse, enums=[colors, sizes]))

        def put(t, **data):
            with tiledb.open(uri, 'w', timestamp=t) as a:
                data['color'] = pd.array(data['color'], dtype='Int8')
                if sparse:
                    a[np.arange(1, 9, dtype='i4')] = data
                else:
                    a[:] = data

        def evolve(t, act):
            with tiledb.open(uri) as a:
                se = tiledb.ArraySchemaEvolution(ctx)
                act(a, se)
                se.timestamp(t)
                se.array_evolve(uri)

        def record(t=None):
            with tiledb.open(uri, timestamp=t) as a:
                df = a.df[:]
                out.append(answers.table('after %d ms' % (t - now) if t else 'now', name, df.reset_index() if df.index.names != [None] else df, at=t))

        now = int(time.time() * 1000)          # after the timestamp of the schema
        put(now + 10, color=[0, 1, 2, None, 0, 1, None, 2], size=np.array([0, 1, 2, 0, 1, 2, 0, 1], 'u2'))
        evolve(now + 20, lambda a, se: se.extend_enumeration(a.enum('colors').extend(['green', ''])))
        put(now + 30, color=[3, 4, None, 2, 0, 3, 4, 1], size=np.array([2, 2, 2, 1, 1, 1, 0, 0], 'u2'))

        def add(a, se):
            se.add_enumeration(tiledb.Enumeration('moods', False, np.array(['calm', 'glad'])))
            se.add_attribute(tiledb.Attr('mood', dtype='i4', enum_label='moods', fill=1))
        evolve(now + 40, add)
        put(now + 50, color=[0] * 8, size=np.array([0] * 8, 'u2'), mood=np.array([0, 1, 0, 1, 0, 1, 0, 1], 'i4'))
        time.sleep(.06)
        for t in (now + 15, now + 25, now + 35, now + 45, None):
            record(t)
    return out

