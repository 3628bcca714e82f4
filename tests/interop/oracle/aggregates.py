"""The engine's aggregates of a field."""
import ctypes as ct

import numpy as np

from . import record
from .engine import LAYOUT, EngineError, npt

KINDS = {'sum': 'sum', 'min': 'min', 'max': 'max', 'mean': 'mean', 'nullCount': 'null_count'}


def aggregates(e, a, sch, field, kinds, ranges=None, condition=None):
    """Returns the aggregates `kinds` (of KINDS, or 'count') in JSON; `field` in the form of record.schema."""
    q = e.new('query_alloc', a, 0)
    e.c('query_set_layout', q, LAYOUT['row-major' if sch['array_type'] == 'dense' else 'unordered'])
    if ranges:
        e.subarray(q, a, sch['dimensions'], ranges)
    if condition is not None:
        e.c('query_set_condition', q, condition)
    channel, buffers = e.new('query_get_default_channel', q), {}
    for kind in kinds:
        if kind == 'count':
            op = e.new('aggregate_count_get')
        else:
            op = e.new('create_unary_aggregate', q, e.new('channel_operator_%s_get' % KINDS[kind]), field['name'])
        e.c('channel_apply_aggregate', channel, kind, op)
        kept = {'count': 'uint64', 'nullCount': 'uint64', 'mean': 'float64'}
        ty = kept.get(kind) or ({'f': 'float64', 'u': 'uint64', 'i': 'int64'}[npt(field['type']).kind] if kind == 'sum' else field['type'])
        text = field['cell_val_num'] == 'var' and kind in ('min', 'max')
        d = np.zeros(4096, 'u1') if text else np.zeros(1, npt(ty))
        b = buffers[kind] = {'type': ty, 'data': e.buffer(q, 'data', kind, d), 'array': d, 'text': text}
        if text:
            b['offsets'] = e.buffer(q, 'offsets', kind, np.zeros(1, 'u8'))
        if field.get('nullable') and kind not in ('count', 'nullCount'):
            b['valid'] = np.zeros(1, 'u1')
            b['keep'] = e.buffer(q, 'validity', kind, b['valid'])
    e.c('query_submit', q)
    status = e.out(ct.c_int, 'query_get_status', q)
    e.l.tiledb_query_free(ct.byref(q))
    if status != 1:
        raise EngineError('the aggregates do not complete')
    out = {}
    for kind, b in buffers.items():
        if kind in ('count', 'nullCount'):
            out[kind] = int(b['array'][0])
        elif 'valid' in b and not b['valid'][0]:
            out[kind] = None
        elif b['text']:
            out[kind] = record.text(b['array'].tobytes()[:b['data'][1].value])
        else:
            out[kind] = record.vals(b['array'].tobytes(), b['type'])[0]
    return out
