"""The results of an application's own API as JSON, with cells in the form of the golden files (see tests/golden)."""
import numpy as np
import pandas as pd
import pyarrow as pa

from oracle.record import text, val


def cell(x):
    """Returns the JSON of one value of any type."""
    if x is None or x is pd.NA:
        return None
    if isinstance(x, str):
        return x
    if isinstance(x, bytes):
        return text(x)
    return column(np.asarray(x).reshape(1))[0]


def column(values):
    """Returns the cells of a column or a flat array of NumPy, pandas or Arrow."""
    if isinstance(values, pd.Series):
        values = pa.array(values) if pd.api.types.is_extension_array_dtype(values.dtype) else values.to_numpy()
    if isinstance(values, pd.Index):
        values = values.to_numpy()
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if pa.types.is_temporal(values.type):
            values = values.cast(pa.int64())
        if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            return values.to_pylist()
        if pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
            return [None if x is None else text(x) for x in values.to_pylist()]
        dtype = np.dtype('u1') if pa.types.is_boolean(values.type) else np.dtype(values.type.to_pandas_dtype())
        return [None if x is None else val(dtype.type(x), dtype.name) for x in values.to_pylist()]
    values = np.asarray(values)
    kind = values.dtype.kind
    if kind in 'OSU':
        return [cell(x) for x in values.tolist()]
    if kind in 'cV':          # complex numbers and records: one list per cell
        one = np.dtype('f%d' % (values.dtype.itemsize // 2)) if kind == 'c' else values.dtype[0]
        return [column(row) for row in values.view(one).reshape(len(values), -1)]
    if kind in 'Mm':
        values = values.view('i8')
    if kind == 'b':
        values = values.view('u1')
    return [val(x, values.dtype.name) for x in values]


def table(label, uri, frame, order='row', at=None, **ranges):
    """Describes a dataframe or an Arrow table. `ranges`: dimension = [low, high], both inclusive, in JSON form."""
    names = frame.column_names if isinstance(frame, pa.Table) else frame.columns
    return dict(kind='table', label=label, uri=uri, order=order, at=at, ranges={k: [v] for k, v in ranges.items()},
                columns={str(n): column(frame[n]) for n in names})


def grid(label, uri, name, values, axes=None, **ranges):
    """Describes an n-dimensional array of an attribute. `axes`: the dimensions in the order of the array's axes, if it differs from the schema."""
    values = np.asarray(values)
    return dict(kind='grid', label=label, uri=uri, name=name, shape=list(values.shape), axes=axes, ranges={k: [v] for k, v in ranges.items()},
                cells=column(values.reshape(-1)))


def metadata(label, uri, items):
    """Describes metadata as the API returns it: NumPy arrays, text, bytes, numbers, tuples."""
    def one(v):
        if isinstance(v, np.ndarray):
            return dict(shape=list(v.shape), cells=text(v.tobytes()) if v.dtype.kind == 'S' else column(v.reshape(-1)))
        if isinstance(v, bytes):
            return dict(bytes=v.hex())
        if isinstance(v, tuple):
            return column(np.asarray(v))
        return cell(v)
    return dict(kind='metadata', label=label, uri=uri, items={k: one(v) for k, v in dict(items).items()})


def members(label, uri, names):
    return dict(kind='members', label=label, uri=uri, names=sorted(names))
