"""A tiledbsoma experiment, and the results of tiledbsoma's reads."""
import os

import anndata
import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
import tiledbsoma as soma
import tiledbsoma.io

from . import answers

CELLS, GENES = 40, 25


def annotated(g, n=CELLS, prefix='cell'):
    obs = pd.DataFrame({
        'cell_type': pd.Categorical(g.choice(['B cell', 'T cell', 'Größe'], n)), 'batch': pd.Categorical(g.integers(1, 4, n)),
        'stage': pd.Categorical(g.choice(['late', 'early'], n), ['early', 'mid', 'late'], ordered=True),
        'unsure': pd.Categorical([None if i % 7 == 3 else 'x%d' % (i % 3) for i in range(n)]),
        'n': g.integers(0, 9, n).astype('i4'), 'score': np.where(g.random(n) < .1, np.nan, g.normal(size=n)).astype('f4'), 'ok': g.random(n) > .5,
        'note': [None if i % 5 == 0 else 'n%d' % i for i in range(n)],
    }, index=['%s%02d' % (prefix, i) for i in range(n)])
    var = pd.DataFrame({'highly': g.random(GENES) > .5, 'name': ['gene ü%d' % i for i in range(GENES)]}, index=['ENSG%03d' % i for i in range(GENES)])
    rng = np.random.RandomState(int(g.integers(1000)))
    a = anndata.AnnData(sp.random(n, GENES, .2, 'csr', dtype='f4', random_state=rng), obs, var)
    a.layers['counts'] = sp.random(n, GENES, .1, 'csr', dtype='f8', random_state=rng)
    a.layers['whole'] = g.normal(size=(n, GENES)).astype('f4')
    a.obsm['X_pca'] = g.normal(size=(n, 3)).astype('f4')
    a.varm['PCs'] = g.normal(size=(GENES, 3))
    a.obsp['connected'] = sp.random(n, n, .1, 'csr', random_state=rng)
    a.varp['correlated'] = sp.random(GENES, GENES, .1, 'csr', random_state=rng)
    a.uns = {
        'title': 'größe', 'n': 5, 'pi': 3.14, 'list': np.array([1, 2, 3]), 'words': np.array(['a', 'bb', '']), 'colors': ['#fff', '#000'],
        'nested': {'deeper': {'x': np.arange(6.).reshape(2, 3), 'k': 'v'}, 'frame': pd.DataFrame({'p': [1, 2], 'q': ['x', 'y']})},
    }
    return a


def everything(folder, name, o, out, path):
    """Records an object and all its members through the API."""
    uri = os.path.relpath(o.uri.replace('file://', ''), folder)
    out.append(answers.metadata('metadata of ' + path, uri, o.metadata))
    if isinstance(o, soma.DataFrame):
        whole = o.read(result_order='row-major').concat()
        out.append(answers.table('table of ' + path, uri, whole))
        if path.endswith('obs'):
            out.append(answers.table('some of ' + path, uri, o.read(coords=[slice(3, 17)], column_names=['soma_joinid', 'cell_type', 'note'], result_order='row-major').concat(),
                                 soma_joinid=['3', '17']))
    elif isinstance(o, soma.SparseNDArray):
        out.append(answers.table('cells of ' + path, uri, o.read(result_order='row-major').tables().concat()))
        out.append(answers.table('some of ' + path, uri, o.read((slice(2, 9), slice(1, 20)), result_order='row-major').tables().concat(), soma_dim_0=['2', '9'], soma_dim_1=['1', '20']))
    elif isinstance(o, soma.DenseNDArray):
        out.append(answers.grid('cells of ' + path, uri, 'soma_data', o.read().to_numpy()))
        out.append(answers.grid('some of ' + path, uri, 'soma_data', o.read((slice(1, 2),)).to_numpy(), soma_dim_0=['1', '2']))
    else:
        out.append(answers.members('members of ' + path, uri, o.keys()))
        for k in o:
            everything(folder, name, o[k], out, path + '/' + k)


def write(folder):
    g, out = np.random.default_rng(7), []
    uri = os.path.join(folder, 'experiment')
    tiledbsoma.io.from_anndata(uri, annotated(g), measurement_name='RNA')
    with soma.open(uri + '/ms/RNA', 'w') as o:
        o.add_new_collection('layers')
    with soma.open(uri + '/ms/RNA/layers', 'w') as o:
        with o.add_new_dense_ndarray('dense', type=pa.float32(), shape=(CELLS, GENES)) as d:
            d.write((slice(None), slice(None)), pa.Tensor.from_numpy(g.normal(size=(CELLS, GENES)).astype('f4')))
    with soma.open(uri) as o:
        everything(folder, 'experiment', o, out, 'experiment')

    # a second data set is appended: the shapes grow, categories are added
    uri = os.path.join(folder, 'grown')
    tiledbsoma.io.from_anndata(uri, annotated(g, 12), measurement_name='RNA')
    more = annotated(g, 9, 'more')
    more.obs['cell_type'] = pd.Categorical(g.choice(['NK cell', 'T cell', ''], 9))
    more.uns = {}
    del more.obsp['connected'], more.varp['correlated']
    maps = tiledbsoma.io.register_anndatas(uri, [more], measurement_name='RNA', obs_field_name='obs_id', var_field_name='var_id', append_obsm_varm=True)
    maps.prepare_experiment(uri)
    tiledbsoma.io.from_anndata(uri, more, measurement_name='RNA', registration_mapping=maps)
    with soma.open(uri) as o:
        everything(folder, 'grown', o, out, 'grown')
    return out
