"""The engine's description of arrays and groups, in the form of the fixtures' expected.json."""
import ctypes as ct
import hashlib
import os

import numpy as np

from .engine import DATATYPES, FILTERS, LAYOUT, LAYOUTS, TEXT, VAR, EngineError, Range, npt, pointer, u32, u64

LONG = 4000          # longer columns are recorded as digests


def val(x, ty):
    dt = npt(ty)
    if dt.kind == 'f':
        f = float(x)
        return f if np.isfinite(f) else str(f).replace('inf', 'Infinity').replace('nan', 'NaN')
    return str(int(x)) if dt.itemsize == 8 else int(x)


def vals(raw, ty):
    return [val(x, ty) for x in np.frombuffer(raw, npt(ty))]


def text(raw):
    try:
        s = raw.decode('utf8')
        if all(c >= ' ' or c in '\n\t' for c in s):
            return s
    except UnicodeDecodeError:
        pass
    return {'hex': raw.hex()}


def cell(raw, ty, num):
    if ty in TEXT:
        return text(raw)
    if ty in ('blob', 'geom_wkb') and num == VAR:
        return {'hex': raw.hex()}
    v = vals(raw, ty)
    return v[0] if num == 1 else v


def cells(data, offs, valid, ty, num):
    if num == VAR:
        ends = [int(x) for x in offs[1:]] + [len(data)]
        c = [cell(data[int(a):b], ty, num) for a, b in zip(offs, ends)]
    elif num == 1 and ty not in TEXT:
        c = vals(data, ty)
    else:
        w = npt(ty).itemsize * num
        c = [cell(data[i:i + w], ty, num) for i in range(0, len(data), w)]
    return c if valid is None else [x if v else None for x, v in zip(c, valid)]


def string(e, s):
    p, n = ct.c_char_p(), ct.c_size_t()
    e.l.tiledb_string_view(s, ct.byref(p), ct.byref(n))
    r = ct.string_at(p, n.value).decode(errors='replace')
    e.l.tiledb_string_free(ct.byref(s))
    return r


def bound(raw, d):
    return text(raw) if d['cell_val_num'] == 'var' else vals(raw, d['type'])[0]


# ---- schema
def filters(e, fl):
    out = []
    for i in range(e.out(ct.c_uint32, 'filter_list_get_nfilters', fl)):
        f = e.new('filter_list_get_filter_from_index', fl, u32(i))
        t = e.out(ct.c_int, 'filter_get_type', f)
        d = {'type': FILTERS[t]}

        def opt(k, name, cty):
            p = cty()
            e.c('filter_get_option', f, k, ct.byref(p))
            d[name] = p.value
        if t in (1, 2, 3, 5):
            opt(0, 'level', ct.c_int32)
        elif t == 7:
            opt(1, 'max_window', ct.c_uint32)
        elif t == 10:
            opt(2, 'max_window', ct.c_uint32)
        elif t == 15:
            opt(3, 'bytewidth', ct.c_uint64), opt(4, 'factor', ct.c_double), opt(5, 'offset', ct.c_double)
        elif t in (6, 19):
            opt(9, 'reinterpret_datatype', ct.c_uint8)
            d['reinterpret_datatype'] = DATATYPES[d['reinterpret_datatype']]
        elif t == 18:
            opt(6, 'quality', ct.c_float), opt(7, 'format', ct.c_uint8), opt(8, 'lossless', ct.c_uint8)
        out.append(d)
    m = e.out(ct.c_uint32, 'filter_list_get_max_chunk_size', fl)
    return out if m == 65536 else {'max_chunk_size': m, 'filters': out}


def dimension(e, d):
    ty = DATATYPES[e.out(ct.c_int, 'dimension_get_type', d)]
    num = e.out(ct.c_uint32, 'dimension_get_cell_val_num', d)
    x = {'name': e.out(ct.c_char_p, 'dimension_get_name', d).decode(), 'type': ty, 'cell_val_num': 'var' if num == VAR else num}
    p = e.out(ct.c_void_p, 'dimension_get_domain', d)
    x['domain'] = vals(ct.string_at(p, 2 * npt(ty).itemsize), ty) if p else None
    p = e.out(ct.c_void_p, 'dimension_get_tile_extent', d)
    x['tile_extent'] = vals(ct.string_at(p, npt(ty).itemsize), ty)[0] if p else None
    x['filters'] = filters(e, e.new('dimension_get_filter_list', d))
    return x


def attribute(e, a):
    num = e.out(ct.c_uint32, 'attribute_get_cell_val_num', a)
    x = {'name': e.out(ct.c_char_p, 'attribute_get_name', a).decode(), 'type': DATATYPES[e.out(ct.c_int, 'attribute_get_type', a)],
         'cell_val_num': 'var' if num == VAR else num, 'nullable': bool(e.out(ct.c_uint8, 'attribute_get_nullable', a)),
         'filters': filters(e, e.new('attribute_get_filter_list', a))}
    pv, sz, vd = ct.c_void_p(), ct.c_uint64(), ct.c_uint8()
    if x['nullable']:
        e.c('attribute_get_fill_value_nullable', a, ct.byref(pv), ct.byref(sz), ct.byref(vd))
        x['fill_valid'] = bool(vd.value)
    else:
        e.c('attribute_get_fill_value', a, ct.byref(pv), ct.byref(sz))
    x['fill_hex'] = ct.string_at(pv.value, sz.value).hex()
    s = e.new('attribute_get_enumeration_name', a)
    if s:
        x['enumeration'] = string(e, s)
    return x


def label(e, lb):
    uri = e.out(ct.c_char_p, 'dimension_label_get_uri', lb).decode()
    return {
        'name': e.out(ct.c_char_p, 'dimension_label_get_name', lb).decode(),
        'dimension': e.out(ct.c_uint32, 'dimension_label_get_dimension_index', lb),
        'order': ['unordered', 'increasing', 'decreasing'][e.out(ct.c_int, 'dimension_label_get_label_order', lb)],
        'type': DATATYPES[e.out(ct.c_int, 'dimension_label_get_label_type', lb)],
        'attribute': e.out(ct.c_char_p, 'dimension_label_get_label_attr_name', lb).decode(),
        'uri': uri[uri.find('__labels'):],
    }


def schema(e, sc):
    o = {
        'array_type': ['dense', 'sparse'][e.out(ct.c_int, 'array_schema_get_array_type', sc)],
        'version': e.out(ct.c_uint32, 'array_schema_get_version', sc),
        'capacity': str(e.out(ct.c_uint64, 'array_schema_get_capacity', sc)),
        'cell_order': LAYOUTS[e.out(ct.c_int, 'array_schema_get_cell_order', sc)],
        'tile_order': LAYOUTS[e.out(ct.c_int, 'array_schema_get_tile_order', sc)],
        'allows_dups': bool(e.out(ct.c_int, 'array_schema_get_allows_dups', sc)),
    }
    for k in ('coords', 'offsets', 'validity'):
        o[k + '_filters'] = filters(e, e.new('array_schema_get_%s_filter_list' % k, sc))
    dom = e.new('array_schema_get_domain', sc)
    o['dimensions'] = [dimension(e, e.new('domain_get_dimension_from_index', dom, u32(i)))
                       for i in range(e.out(ct.c_uint32, 'domain_get_ndim', dom))]
    o['attributes'] = [attribute(e, e.new('array_schema_get_attribute_from_index', sc, u32(i)))
                       for i in range(e.out(ct.c_uint32, 'array_schema_get_attribute_num', sc))]
    o['dimension_labels'] = [label(e, e.new('array_schema_get_dimension_label_from_index', sc, u64(i)))
                             for i in range(e.out(ct.c_uint64, 'array_schema_get_dimension_label_num', sc))]
    cd = e.new('array_schema_get_current_domain', sc)
    if not e.out(ct.c_uint32, 'current_domain_get_is_empty', cd):
        box = e.new('current_domain_get_ndrectangle', cd)
        o['current_domain'] = []
        for i, d in enumerate(o['dimensions']):
            rg = Range()
            e.c('ndrectangle_get_range', box, u32(i), ct.byref(rg))
            o['current_domain'].append([bound(ct.string_at(rg.min, rg.min_size), d), bound(ct.string_at(rg.max, rg.max_size), d)])
    return o


def enumerations(e, arr, sch):
    out = {}
    for n in [a['enumeration'] for a in sch['attributes'] if a.get('enumeration')]:
        en = e.new('array_get_enumeration', arr, n)
        ty, num = DATATYPES[e.out(ct.c_int, 'enumeration_get_type', en)], e.out(ct.c_uint32, 'enumeration_get_cell_val_num', en)
        p, sz = ct.c_void_p(), ct.c_uint64()
        e.c('enumeration_get_data', en, ct.byref(p), ct.byref(sz))
        data, o = ct.string_at(p.value, sz.value) if p.value else b'', None
        if num == VAR:
            e.c('enumeration_get_offsets', en, ct.byref(p), ct.byref(sz))
            o = np.frombuffer(ct.string_at(p.value, sz.value), 'u8') if p.value else np.zeros(0, 'u8')
        out[n] = {'type': ty, 'cell_val_num': 'var' if num == VAR else num,
                  'ordered': bool(e.out(ct.c_int, 'enumeration_get_ordered', en)), 'values': cells(data, o, None, ty, num)}
    return out


# ---- fragments, domains, metadata
def fragment_bounds(e, fi, k, i, d, what, *mbr):
    """Returns the non-empty domain, or a rectangle, of a fragment in one dimension."""
    at = (k, *mbr, u32(i))
    if d['cell_val_num'] == 'var':
        a, b = ct.c_uint64(), ct.c_uint64()
        e.c('fragment_info_get_%s_var_size_from_index' % what, fi, *at, ct.byref(a), ct.byref(b))
        x, y = ct.create_string_buffer(a.value + 1), ct.create_string_buffer(b.value + 1)
        e.c('fragment_info_get_%s_var_from_index' % what, fi, *at, x, y)
        return [text(x.raw[:a.value]), text(y.raw[:b.value])]
    x = ct.create_string_buffer(16)
    e.c('fragment_info_get_%s_from_index' % what, fi, *at, x)
    return vals(x.raw[:2 * npt(d['type']).itemsize], d['type'])


def fragments(e, uri, sch):
    fi, out, dims = e.new('fragment_info_alloc', uri), [], sch['dimensions']
    e.c('fragment_info_load', fi)
    for i in range(e.out(ct.c_uint32, 'fragment_info_get_fragment_num', fi)):
        k, t1, t2 = u32(i), ct.c_uint64(), ct.c_uint64()
        e.c('fragment_info_get_timestamp_range', fi, k, ct.byref(t1), ct.byref(t2))
        mbrs = e.out(ct.c_uint64, 'fragment_info_get_mbr_num', fi, k)
        f = {'name': os.path.basename(e.out(ct.c_char_p, 'fragment_info_get_fragment_uri', fi, k).decode().rstrip('/')),
             'version': e.out(ct.c_uint32, 'fragment_info_get_version', fi, k), 'timestamps': [str(t1.value), str(t2.value)],
             'dense': bool(e.out(ct.c_int, 'fragment_info_get_dense', fi, k)),
             'cell_num': str(e.out(ct.c_uint64, 'fragment_info_get_cell_num', fi, k)),
             'size': str(e.out(ct.c_uint64, 'fragment_info_get_fragment_size', fi, k)),
             'has_consolidated_metadata': bool(e.out(ct.c_int, 'fragment_info_has_consolidated_metadata', fi, k)),
             'non_empty_domain': [fragment_bounds(e, fi, k, j, d, 'non_empty_domain') for j, d in enumerate(dims)],
             'schema': e.out(ct.c_char_p, 'fragment_info_get_array_schema_name', fi, k).decode(), 'mbr_num': mbrs}
        if mbrs:
            f['mbrs'] = [[fragment_bounds(e, fi, k, j, d, 'mbr', u32(m)) for j, d in enumerate(dims)] for m in range(min(mbrs, 8))]
        out.append(f)
    return out


def non_empty_domain(e, arr, sch):
    """Returns the raw bounds of each dimension, or None."""
    out = []
    for i, d in enumerate(sch['dimensions']):
        empty = ct.c_int()
        if d['cell_val_num'] == 'var':
            a, b = ct.c_uint64(), ct.c_uint64()
            e.c('array_get_non_empty_domain_var_size_from_index', arr, u32(i), ct.byref(a), ct.byref(b), ct.byref(empty))
            if empty.value:
                return None
            x, y = ct.create_string_buffer(a.value + 1), ct.create_string_buffer(b.value + 1)
            e.c('array_get_non_empty_domain_var_from_index', arr, u32(i), x, y, ct.byref(empty))
            out.append((x.raw[:a.value], y.raw[:b.value]))
        else:
            x = ct.create_string_buffer(16)
            e.c('array_get_non_empty_domain_from_index', arr, u32(i), x, ct.byref(empty))
            if empty.value:
                return None
            v = np.frombuffer(x.raw[:2 * npt(d['type']).itemsize], npt(d['type']))
            out.append((v[0].item(), v[1].item()))
    return out


def end_json(x, d):
    return text(x) if isinstance(x, bytes) else val(x, d['type'])


def ranges_json(ranges, dims):
    return [None if rs is None else [[end_json(lo, d), end_json(hi, d)] for lo, hi in rs] for rs, d in zip(ranges, dims)]


def metadata(e, h, of='array'):
    out = []
    for i in range(e.out(ct.c_uint64, of + '_get_metadata_num', h)):
        k, kl, ty, num, v = ct.c_void_p(), ct.c_uint32(), ct.c_int(), ct.c_uint32(), ct.c_void_p()
        e.c(of + '_get_metadata_from_index', h, u64(i), ct.byref(k), ct.byref(kl), ct.byref(ty), ct.byref(num), ct.byref(v))
        t = DATATYPES[ty.value]
        raw = ct.string_at(v.value, num.value * npt(t).itemsize) if v.value else b''
        as_text = t in TEXT or t == 'geom_wkb'
        out.append({'key': ct.string_at(k.value, kl.value).decode(errors='replace'), 'type': t, 'num': num.value,
                    'value': (text(raw) if as_text else vals(raw, t)) if v.value else None})
    return sorted(out, key=lambda m: m['key'])


# ---- reads
def read(e, arr, sch, layout, ranges=None, skip=(), coordinates=None, capacity=1 << 15, condition=None):
    """
    Returns the number of cells, and the columns as JSON; repeats the read with larger buffers if they were too small. With `coordinates`,
    dense arrays return coordinates, too. `condition` is a handle of the engine.
    """
    dims = sch['dimensions']
    q = e.new('query_alloc', arr, 0)
    e.c('query_set_layout', q, LAYOUT[layout])
    if ranges:
        e.subarray(q, arr, dims, ranges)
    if condition is not None:
        e.c('query_set_condition', q, condition)
    fields = [(f['name'], f['type'], VAR if f['cell_val_num'] == 'var' else f['cell_val_num'], f.get('nullable', False))
              for f in (dims if coordinates or sch['array_type'] == 'sparse' else []) + sch['attributes'] if f['name'] not in skip]
    columns = []
    for name, ty, num, nullable in fields:
        bufs = {}
        for kind, used, width in (('data', True, 'u1'), ('offsets', num == VAR, 'u8'), ('validity', nullable, 'u1')):
            if used:
                a = np.empty(capacity // (8 if kind == 'offsets' else 1), width)
                bufs[kind] = (a, u64(a.nbytes))
                e.c('query_set_%s_buffer' % kind, q, name, pointer(a), ct.byref(bufs[kind][1]))
        columns.append((name, ty, num, bufs))
    e.c('query_submit', q)
    status = e.out(ct.c_int, 'query_get_status', q)
    e.l.tiledb_query_free(ct.byref(q))
    if status != 1:
        if capacity >= 1 << 26:
            raise EngineError('the read does not complete')
        return read(e, arr, sch, layout, ranges, skip, coordinates, capacity * 8, condition)
    out, count = {}, 0
    for name, ty, num, bufs in columns:
        data, offs, valid = [bufs[k][0][:bufs[k][1].value // bufs[k][0].itemsize] if k in bufs else None for k in ('data', 'offsets', 'validity')]
        data = data.tobytes()
        width = npt(ty).itemsize * num
        count = len(offs) if offs is not None else len(data) // width
        if count * (1 if num == VAR else num) > LONG:
            x = out[name] = {'cells': count, 'bytes': len(data), 'sha256': hashlib.sha256(data).hexdigest()}
            if offs is not None:
                x['offsets_sha256'] = hashlib.sha256(offs.tobytes()).hexdigest()
            if valid is not None:
                x['validity_sha256'] = hashlib.sha256(valid.tobytes()).hexdigest()
            if num != VAR:
                x['head'] = cells(data[:8 * width], None, None, ty, num)
                x['tail'] = cells(data[-8 * width:], None, None, ty, num)
        else:
            out[name] = cells(data, offs, valid, ty, num)
    return count, out


def group(e, uri):
    g = e.new('group_alloc', uri)
    e.c('group_open', g, 0)
    try:
        r = {'kind': 'group', 'metadata': metadata(e, g, 'group'), 'members': []}
        for i in range(e.out(ct.c_uint64, 'group_get_member_count', g)):
            u, n, ty = ct.c_void_p(), ct.c_void_p(), ct.c_int()
            e.c('group_get_member_by_index_v2', g, u64(i), ct.byref(u), ct.byref(ty), ct.byref(n))
            at = os.path.relpath(string(e, u).replace('file://', ''), os.path.abspath(uri))
            r['members'].append({'uri': at, 'type': ['invalid', 'group', 'array'][ty.value], 'name': string(e, n) if n.value else None})
        r['members'].sort(key=lambda m: m['uri'])
        return r
    finally:
        e.c('group_close', g)
