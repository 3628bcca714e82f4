"""write.py OUT

Writes arrays with each application, each below its own folder. OUT/<application>/answers.json contains the results of the
application's own API, OUT/<application>/expected.json the engine's record of each array and group, in the form of the
fixtures. Prints a line for each application, and exits with 1 if one failed.
"""
import importlib
import json
import os
import subprocess
import sys
import traceback
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
APPLICATIONS = ['soma', 'bioimg', 'dataframes', 'numpy_arrays', 'enumerations']


def limits(e, sch):
    """Returns the dimensions as input of `Reads`: with the bounds of the values that reads may request."""
    from oracle.choose import D
    out = []
    for i, d in enumerate(sch['dimensions']):
        lo, hi = [None, None] if d['domain'] is None else [x if isinstance(x, float) else int(x) for x in d['domain']]
        out.append(D(d['name'], d['type'], lo, hi, d['tile_extent']))
        if sch.get('current_domain') and d['cell_val_num'] != 'var':
            out[-1]['within'] = tuple(int(x) for x in sch['current_domain'][i])
    return out


def expected(folder):
    """Returns the engine's record of all arrays and groups below a folder."""
    from oracle import record
    from oracle.choose import Choose
    from oracle.engine import Engine, library
    from oracle.reads import Reads
    e, ch, objects, notes = Engine(library()), Choose(os.path.basename(folder)), {}, []
    for path, folders, _ in os.walk(folder):
        name = os.path.relpath(path, folder)
        if '__schema' in folders:
            a = e.open(path)
            sch = record.schema(e, e.new('array_get_schema', a))
            ned = record.non_empty_domain(e, a, sch)
            e.close(a)
            pool = {'points': [] if ned is None else [tuple(lo for lo, _ in ned), tuple(hi for _, hi in ned)], 'times': []}
            objects[name] = Reads(e, ch, path, pool, limits(e, sch), notes).everything(few=True)
        elif '__group' in folders:
            objects[name] = record.group(e, path)
        folders[:] = sorted(f for f in folders if not f.startswith('__'))
    return dict(case=os.path.basename(folder), encryption_key=None, notes=notes, objects=objects)


def save(folder, name, value):
    with open(os.path.join(folder, name), 'w') as f:
        json.dump(value, f, ensure_ascii=False, separators=(',', ':'))


def one(application, folder):
    warnings.simplefilter('ignore')
    os.makedirs(folder)
    save(folder, 'answers.json', importlib.import_module('applications.' + application).write(folder))


def main(out):
    out, code = os.path.abspath(out), 0
    # each application, and the recording engine, runs in a separate process: they contain different engines
    for application in APPLICATIONS:
        for mode in ('--write', '--record'):
            done = subprocess.run([sys.executable, os.path.join(HERE, 'write.py'), mode, application, out], capture_output=True, text=True)
            if done.returncode != 0:
                print('FAILED %s %s: exit code %d: %s' % (application, mode, done.returncode, done.stderr.strip()[-2000:]))
                code = 1
                break
        else:
            print('wrote %s' % application)
    return code


if __name__ == '__main__':
    if sys.argv[1] == '--write':
        one(sys.argv[2], os.path.join(sys.argv[3], sys.argv[2]))
    elif sys.argv[1] == '--record':
        folder = os.path.join(sys.argv[3], sys.argv[2])
        save(folder, 'expected.json', expected(folder))
    else:
        sys.exit(main(sys.argv[1]))
