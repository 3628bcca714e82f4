"""record.py DIR

Reads all arrays and groups in DIR with the engine: writes expected.json of each case, and prints where the engine's result
differs from meant.json.
"""
import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from applications.write import limits, save                      # noqa: E402
from oracle import record                                        # noqa: E402
from oracle.choose import Choose                                 # noqa: E402
from oracle.engine import Engine, EngineError, library           # noqa: E402
from oracle.reads import Reads                                   # noqa: E402


def array_at(e, uri, moment):
    a = e.open(uri, end=moment['at'])
    try:
        sch = record.schema(e, e.new('array_get_schema', a))
        used = {x['enumeration'] for x in sch['attributes'] if x.get('enumeration')}
        result = record.enumerations(e, a, sch)
        return {'attributes': [x['name'] for x in sch['attributes']], 'metadata': record.metadata(e, a),
                'enumerations': {n: x['values'] for n, x in result.items()}}, used
    finally:
        e.close(a)


def by_name(member):
    return member['uri'], member['name'] or ''


def group_at(e, uri, moment):
    result = record.group(e.also(sm__group__timestamp_end=moment['at']), uri)
    return {'members': sorted(result['members'], key=by_name), 'metadata': result['metadata']}


def case(e, path):
    """Compares a case with its meant.json, and records the engine's result."""
    wrong, objects, notes = 0, {}, []
    with open(os.path.join(path, 'meant.json')) as f:
        meant = json.load(f)
    if meant['key'] is not None:
        e = e.keyed(meant['key'].encode())
    for name, moments in {**meant['arrays'], **meant['groups']}.items():
        uri = os.path.join(path, name)
        for moment in moments:
            want = {k: v for k, v in moment.items() if k != 'at'}
            try:
                if 'members' in moment:
                    result = group_at(e, uri, moment)
                else:
                    result, used = array_at(e, uri, moment)
                    want['enumerations'] = {k: v for k, v in want['enumerations'].items() if k in
                                            {'sizes' if a == 'size' else a for a in moment['attributes']}}
            except EngineError as x:
                result = str(x)
            if result != want:
                wrong += 1
                print('FAILED %s at %d: the engine returns %s, expected %s' % (uri, moment['at'], json.dumps(result), json.dumps(want)))
        if name in meant['groups']:
            objects[name] = {**record.group(e, uri), 'members': sorted(record.group(e, uri)['members'], key=by_name)}
            continue
        a = e.open(uri)
        sch = record.schema(e, e.new('array_get_schema', a))
        ned = record.non_empty_domain(e, a, sch)
        e.close(a)
        pool = {'points': [] if ned is None else [tuple(lo for lo, _ in ned), tuple(hi for _, hi in ned)], 'times': [m['at'] for m in moments]}
        objects[name] = Reads(e, Choose(path + name), uri, pool, limits(e, sch), notes).everything(few=True)
    save(path, 'expected.json', dict(case=os.path.basename(path), encryption_key=meant['key'], notes=notes, objects=objects))
    return wrong


def main():
    e, wrong, compared = Engine(library()), 0, 0
    for path in sorted(glob.glob(os.path.join(sys.argv[1], 'case*'))):
        wrong += case(e, path)
        with open(os.path.join(path, 'meant.json')) as f:
            meant = json.load(f)
        compared += sum(map(len, [*meant['arrays'].values(), *meant['groups'].values()]))
    print('%d passed, %d failed, 0 skipped' % (compared - wrong, wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
