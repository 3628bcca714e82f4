"""see.py DIR

The real engine reads the arrays and their copies that make.ts wrote, and compares schemas, enumerations, metadata,
non-empty domains, and cells in every order. Each pair runs in its own process, as the engine crashes on some arrays. Reads of
the source array that fail in the engine are skipped. Closes with `N passed, N failed, 0 skipped`.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from oracle import record
from oracle.engine import Engine, EngineError, library

DENSE = ['row-major', 'col-major', 'global-order']


def things(lib, uri, key, metadata):
    """Returns the engine's description of an array, by name, and its schema."""
    e = Engine(lib) if key is None else Engine(lib).keyed(key.encode())
    a = e.open(uri)
    sch = record.schema(e, e.new('array_get_schema', a))
    ned = record.non_empty_domain(e, a, sch)
    out = {'schema': sch, 'non-empty domain': ned}
    if metadata:
        out['metadata'] = record.metadata(e, a)
    if any(x.get('enumeration') for x in sch['attributes']):
        out['enumerations'] = record.enumerations(e, a, sch)
    dense = sch['array_type'] == 'dense'
    orders = [] if ned is None else DENSE + ([] if dense else ['unordered'])
    for order in orders:
        try:
            out[order] = record.read(e, a, sch, order, [[n] for n in ned] if dense else None)
        except EngineError as x:
            out[order] = str(x)
    e.close(a)
    return out, sch


def shown(value):
    return json.dumps(value, default=repr)


def difference(a, b, path=''):
    """Returns the first difference between two values, or None."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = sorted({*a, *b})
        return next((result for k in keys if (result := difference(a.get(k), b.get(k), '%s.%s' % (path, k)))), None)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        return next((result for i, (x, y) in enumerate(zip(a, b)) if (result := difference(x, y, '%s[%d]' % (path, i)))), None)
    return None if shown(a) == shown(b) else '%s: %s / %s' % (path, shown(a)[:150], shown(b)[:150])


def comparable(sch, versions):
    """Returns a schema without the parts that one of the formats does not store."""
    out = {k: v for k, v in sch.items() if k != 'version'}
    if min(versions) < 7:
        del out['validity_filters']
    if min(versions) < 5:
        out['dimensions'] = [{k: v for k, v in d.items() if k != 'filters'} for d in sch['dimensions']]
    return out


def inside(inner, outer):
    """Whether a non-empty domain is inside another: a copy does not contain deleted cells."""
    if inner is None or outer is None:
        return inner is None
    return all(a <= c and d <= b for (a, b), (c, d) in zip(outer, inner))


def rows(read):
    """Returns cells sorted, for comparison of unordered cells and duplicates."""
    _, columns = read
    if any(isinstance(c, dict) for c in columns.values()):
        return read
    return sorted(json.dumps(row) for row in zip(*columns.values()))


def compare(lib, folder):
    with open(os.path.join(folder, 'copy.json')) as f:
        facts = json.load(f)
    label = '%s as format %d' % (facts['path'], facts['version'])
    old, sch = things(lib, os.path.join(folder, 'array'), facts['key'], facts['version'] > 3)
    try:
        new, copied = things(lib, os.path.join(folder, 'copy'), facts['key'], facts['version'] > 3)
    except EngineError as x:
        print('FAILED %s: the engine does not open the copy: %s' % (label, x))
        return 1
    failed = 0
    if copied['version'] != facts['version']:
        print('FAILED %s: the engine reports format %d' % (label, copied['version']))
        failed += 1
    versions = (sch['version'], copied['version'])
    for name in old:
        a, b = old[name], new.get(name)
        if name == 'schema':
            a, b = comparable(a, versions), comparable(b, versions)
        if name == 'non-empty domain' and sch['array_type'] == 'sparse' and inside(b, a):
            continue
        if isinstance(a, str):
            print('SKIPPED %s: %s: the engine does not read the array: %s' % (label, name, a))
            continue
        # the order of cells with equal coordinates is undefined, and older formats have another global order
        loose = name == 'unordered' or sch['allows_dups'] or (name == 'global-order' and min(versions) < 9)
        if loose and isinstance(a, tuple) and isinstance(b, tuple):
            a, b = rows(a), rows(b)
        result = difference(a, b)
        if result:
            print('FAILED %s: %s%s' % (label, name, result))
            failed += 1
    return 1 if failed else 0


def main():
    lib = library()
    root = sys.argv[1]
    passed = failed = 0
    for n in sorted((x for x in os.listdir(root) if x.isdigit()), key=int):
        pid = os.fork()
        if pid == 0:
            code = 2
            try:
                code = compare(lib, os.path.join(root, n))
            except BaseException as x:
                print('FAILED %s: %r' % (n, x))
            sys.stdout.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code < 0:
            print('FAILED %s: the engine was killed by signal %d' % (n, -code))
        passed, failed = passed + (code == 0), failed + (code != 0)
    print('%d passed, %d failed, 0 skipped' % (passed, failed))
    sys.exit(1 if failed else 0)


main()
