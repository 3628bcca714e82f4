"""Writes the same array with the old engine itself, which shows whether a failed read is a defect of that engine."""
import collections
import itertools
import json
import os

import numpy as np

from oracle.engine import TEXT, npt

OPTIONS = {'bit_width_reduction': {'max_window': 'bit_width_max_window'}, 'positive_delta': {'max_window': 'positive_delta_max_window'}}


def filters(recorded):
    """Converts a recorded pipeline to input of the engine."""
    out = []
    if isinstance(recorded, dict):
        out.append({'max_chunk_size': recorded['max_chunk_size']})
        recorded = recorded['filters']
    for f in recorded:
        names = OPTIONS.get(f['type'], {})
        out.append((f['type'], {names.get(k, k): v for k, v in f.items() if k != 'type' and v != 'any'}))
    return out


def number(x, ty):
    return None if x is None else float(x) if npt(ty).kind == 'f' else int(x)


def plan(e, meant):
    """Returns the schema as input of the engine."""
    recorded, version = meant['schema'], meant['version']
    s = dict(sparse=meant['sparse'], dims=[], attrs=[], cell_order=recorded['cell_order'], tile_order=recorded['tile_order'],
             capacity=int(recorded['capacity']), dups=recorded['allows_dups'])
    for k in ('coords_filters', 'offsets_filters', 'validity_filters'):
        s[k] = filters(recorded[k]) if e.has('array_schema_set_' + k.replace('filters', 'filter_list')) else None
    for d in recorded['dimensions']:
        lo, hi = [number(x, d['type']) for x in d['domain'] or [None, None]]
        s['dims'].append(dict(name=d['name'], type=d['type'], lo=lo, hi=hi, extent=number(d['tile_extent'], d['type']),
                              filters=filters(d['filters']) if version >= 5 and d['filters'] else None))
    for a in recorded['attributes']:
        fill = dict(fill=bytes.fromhex(a['fill_hex']), fill_valid=int(a.get('fill_valid', 0))) if version >= 6 else {}
        s['attrs'].append(dict(name=a['name'], type=a['type'], num=a['cell_val_num'], nullable=a['nullable'], filters=filters(a['filters']), **fill))
    return s


def values(cells, f):
    """Converts recorded cells to input of a write."""
    ty, num = f['type'], f.get('num', 'var' if f['type'] == 'string_ascii' else 1)

    def raw(x):
        if x is None:
            return b'' if num == 'var' else bytes(npt(ty).itemsize * num)
        if isinstance(x, dict):
            return bytes.fromhex(x['hex'])
        if ty in TEXT:
            return x.encode()
        return np.array([number(y, ty) for y in (x if isinstance(x, list) else [x])], npt(ty)).tobytes()
    parts = [raw(x) for x in cells]
    out = parts if num == 'var' else np.frombuffer(b''.join(parts), npt(ty))
    return (out, [int(x is not None) for x in cells]) if f.get('nullable') else out


def write(e, meant, folder, alone=False):
    """Writes the same cells at the same times to FOLDER/array, and FOLDER/meant.json. 1.x does not support timestamps: it writes the last state.

    With `alone` each sparse cell is a separate fragment, so it has tiles that other arrays rarely have: a single cell, possibly empty.
    """
    s, uri, moments = plan(e, meant), os.path.join(folder, 'array'), meant['moments'] if e.v >= (2, 0) else meant['moments'][-1:]
    os.makedirs(folder)
    e.create(uri, s)
    if meant['sparse']:
        fields, written = s['dims'] + s['attrs'], collections.Counter()
        for moment in moments:
            rows = collections.Counter(zip(*(map(json.dumps, moment['columns'][f['name']]) for f in fields)))
            new, written = list((rows - written).elements()), rows
            for part in [[row] for row in new] if alone else [new]:
                columns = {f['name']: values([json.loads(x) for x in c], f) for f, c in zip(fields, zip(*part))}
                e.write(uri, s, 'unordered', columns, None, moment['at'])
    else:
        places = list(itertools.product(*(range(int(lo), int(hi) + 1) for lo, hi in meant['ranges'])))
        for fragment in meant['fragments']:
            box, at = [(int(lo), int(hi)) for lo, hi in fragment['non_empty_domain']], int(fragment['timestamps'][1])
            moment = next((m for m in moments if m['at'] >= at), moments[-1])
            inside = [k for k, place in enumerate(places) if all(lo <= x <= hi for x, (lo, hi) in zip(place, box))]
            e.write(uri, s, 'row-major', {a['name']: values([moment['columns'][a['name']][k] for k in inside], a) for a in s['attrs']}, box, at)
    with open(os.path.join(folder, 'meant.json'), 'w') as f:
        json.dump(dict(meant, moments=[dict(m, metadata=[]) for m in moments]), f)
