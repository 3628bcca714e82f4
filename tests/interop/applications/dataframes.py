"""Dataframes written by tiledb.from_pandas, and the results of tiledb.open_dataframe."""
import os

import numpy as np
import pandas as pd
import tiledb

from . import answers

ROWS = 30


def frame(g, n=ROWS):
    return pd.DataFrame({
        'i': g.integers(-2 ** 62, 2 ** 62, n), 'small': g.integers(0, 200, n).astype('u1'), 'x': np.where(g.random(n) < .2, np.nan, g.normal(size=n)),
        'f': g.normal(size=n).astype('f4'), 'flag': g.random(n) > .5, 'word': ['wörd %d ' % (i % 4) * (i % 3) for i in range(n)],
        'raw': [b'b%d' % i for i in range(n)], 'when': pd.date_range('1969-12-30', periods=n, freq='7h13min'), 'gap': pd.array([pd.NaT if i % 6 == 1 else pd.Timestamp(i, unit='D') for i in range(n)]),
    })


def nullable(n=ROWS):
    some = lambda f, k: [None if i % k == 1 else f(i) for i in range(n)]
    return pd.DataFrame({
        'I': pd.array(some(lambda i: i * 10 ** 17, 3), dtype='Int64'), 'u': pd.array(some(lambda i: i, 4), dtype='UInt16'),
        'F': pd.array(some(lambda i: i / 8, 5), dtype='Float64'), 'B': pd.array(some(lambda i: i % 2 == 0, 3), dtype='boolean'), 'S': pd.array(some(lambda i: 'ß%d' % i, 4), dtype='string'),
    })


def write(folder):
    g, out = np.random.default_rng(11), []

    def one(name, df, whole=True, **options):
        uri = os.path.join(folder, name)
        tiledb.from_pandas(uri, df, **options)
        back = tiledb.open_dataframe(uri)
        with tiledb.open(uri) as a:
            dims = [a.dim(i).name for i in range(a.ndim)]
            order = 'row' if not a.schema.sparse or not a.schema.allows_duplicates else 'any'
            if back.index.names != [None]:
                back = back.reset_index()
            out.append(answers.table('dataframe', name, back, order=order))
            out.append(answers.metadata('metadata', name, a.meta))
        return back

    df = frame(g)
    one('dense', df)
    one('sparse', df, sparse=True)
    one('by_word', df.assign(word=['abc%d' % (i % 4) * (i % 3) for i in range(ROWS)]), sparse=True, index_dims=['word'], allows_duplicates=True)
    one('by_time', df, sparse=True, index_dims=['when'], allows_duplicates=False)
    two = df.assign(word=['k%02d' % (i * 7 % ROWS) for i in range(ROWS)]).set_index(['word', 'when'])
    one('multi_index', two, sparse=True)
    one('nullable', nullable())
    one('nullable_sparse', nullable().assign(key=['r%02d' % i for i in range(ROWS)]).set_index('key'), sparse=True)
    one('categorical', pd.DataFrame({
        'color': pd.Categorical(g.choice(['red', 'größe', 'blue'], ROWS)), 'size': pd.Categorical(g.choice(['S', 'L'], ROWS), ['S', 'M', 'L'], ordered=True),
        'number': g.integers(0, 5, ROWS)}))
    # written in two parts
    parts = os.path.join(folder, 'appended')
    tiledb.from_pandas(parts, df[['i', 'word']][:10], sparse=True, full_domain=True)
    tiledb.from_pandas(parts, df[['i', 'word']][10:], mode='append')
    out.append(answers.table('dataframe', 'appended', tiledb.open_dataframe(parts).reset_index(drop=True), order='any'))
    return out
