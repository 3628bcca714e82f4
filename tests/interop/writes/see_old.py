"""Engines of the age of each array read what make.ts wrote: `see_old.py FOLDER ENGINES`.

Each must say at each time the metadata, the non-empty domain and the cells that meant.json says, and in random ranges. Where one
fails or dies it writes the same array itself (control.py): if it fails with its own too, that is named, and is no
failure of ours. Closes with `N passed, N failed, 0 skipped`.
"""
import ctypes as ct
import json
import os
import random
import signal
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

from oracle import record                                          # noqa: E402
from oracle.engine import EngineError                               # noqa: E402
from oracle.fetch_engines import found                             # noqa: E402
from oracle.old_engines import OldEngine                           # noqa: E402
from writes import control                                          # noqa: E402
from writes.cells import Cells, first_difference, plain            # noqa: E402

SECONDS = 2                      # of work for one thing: some never end


def findings(lib, folder):
    """Pairs of what was looked at, and what is wrong with it or None."""
    with open(os.path.join(folder, 'meant.json')) as f:
        meant = json.load(f)
    e, uri, sch = OldEngine(lib, meant['key'] and meant['key'].encode()), os.path.join(folder, 'array'), meant['schema']
    r, dims = random.Random(os.path.basename(folder)), sch['dimensions']
    for moment in meant['moments']:
        last = moment is meant['moments'][-1]
        # engines before 2.1 fill var-sized cells with what memory holds
        filled = [x['name'] for x in sch['attributes'] if e.v < (2, 1) and x['cell_val_num'] == 'var']
        cells, what = Cells(sch, meant['ranges'], moment, filled), '' if last else ' at %d' % moment['at']
        a = e.open(uri, end=None if last else moment['at'])
        if e.has('array_get_metadata_num'):
            # the number of values in an empty one was 0 before it was 1
            said = [dict(x, num=1) if x['value'] is None else x for x in record.metadata(e, a)]
            yield 'metadata' + what, first_difference(said, moment['metadata'])
        ned = e.non_empty_domain(a, dims)
        domain = [[record.end_json(x, d) for x in ends] for ends, d in zip(ned, dims)]
        yield 'non-empty domain' + what, first_difference(plain(domain), plain(moment['domain']))
        layout = 'unordered' if sch['cell_order'] == 'hilbert' else 'row-major'
        # engines before 2.2 read dimensions of text only in a range
        whole = cells.whole or ([[ends] for ends in ned] if any(d['cell_val_num'] == 'var' for d in dims) else None)
        yield 'all cells' + what, cells.compare(layout, e.read(a, sch, layout, whole))
        if last and not any(d['cell_val_num'] == 'var' for d in dims):
            ranges = [rs or [(lo, hi)] for rs, (lo, hi) in zip(cells.random_ranges(r, 'global-order') or [None] * len(dims), ned)]
            yield 'ranges %s' % ranges, cells.compare(layout, e.read(a, sch, layout, ranges), ranges)
        e.close(a)


def apart(lib, work):
    """Runs `work(lib, say)` in a process of its own; answers what it said, and how the process ended: 768 is a mistake of ours."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        with os.fdopen(w, 'w') as pipe:
            def say(*x):
                pipe.write(json.dumps(x) + '\n')
                pipe.flush()
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
            say()
            ours = os.dup(2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)     # of engines that die
            try:
                work(ct.CDLL(lib), say)
            except Exception:
                os.write(ours, traceback.format_exc().encode())
                os._exit(3)
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        said = [json.loads(line) for line in f if line.endswith('\n')]
    return said[1:], os.waitpid(pid, 0)[1]


def see(path, folders):
    """Of each folder what is wrong, or None, with each thing: (folder, thing, reason)."""
    def look(lib, say):
        for folder in folders:
            say(folder, None, None)
            try:
                for what, reason in findings(lib, folder):
                    say(folder, what, reason)
            except Exception as x:
                say(folder, 'reading', '%s: %s' % (type(x).__name__, x))
    said, status = apart(path, look)
    out = [x for x in said if x[1] is not None]
    if status != 0:
        began = said[-1][0] if said else folders[0]
        out.append((began, 'reading', 'the engine ended with %d' % status))
        out += see(path, folders[folders.index(began) + 1:])
    return out


def kinds(failures):
    """What goes wrong; engines that read beyond their memory die, refuse, or answer other cells by chance."""
    return {what.split(' at ')[0] if what.startswith(('metadata', 'non-empty')) else 'cells' for _, what, _ in failures}


def fault(path, folder, failures):
    """What is wrong with the engine itself, which makes such an array of its own: it cannot make it, or fails so with it too."""
    def write(lib, say):
        try:
            control.write(OldEngine(lib, meant['key'] and meant['key'].encode()), meant, own, alone)
            say(None)
        except EngineError as x:
            say(str(x))
    with open(os.path.join(folder, 'meant.json')) as f:
        meant = json.load(f)
    # the fragments of one commit are one of its own: their tiles are found where cells have a fragment each
    for alone in [False, True] if meant['sparse'] and len(meant['fragments']) > len(meant['moments']) else [False]:
        with tempfile.TemporaryDirectory() as top:
            own = os.path.join(top, os.path.basename(folder))
            said, status = apart(path, write)
            if status == 768:
                return None
            if status != 0 or said != [[None]]:
                return 'cannot make this array: ' + (said[0][0] if said else 'it ended with %d' % status)
            own_failures = [x for _ in range(3) for x in see(path, [own]) if x[2] is not None]
        if kinds(failures) <= kinds(own_failures):
            return 'fails with its own too'
    return None


def main():
    top, engines = sys.argv[1:]
    by_format, passed, failed, faults = {}, 0, 0, 0
    for name in sorted(os.listdir(top)):
        folder = os.path.join(top, name)
        if os.path.exists(os.path.join(folder, 'meant.json')):
            with open(os.path.join(folder, 'meant.json')) as f:
                by_format.setdefault(json.load(f)['version'], []).append(folder)
    for format_, folders in sorted(by_format.items()):
        path = found(engines, format_)
        if path is None:
            continue
        seen = see(path, folders)
        passed += sum(reason is None for _, _, reason in seen)
        for folder in folders:
            failures = [x for x in seen if x[0] == folder and x[2] is not None]
            own = failures and fault(path, folder, failures)
            if own:
                faults += 1
                print('the engine of format %d %s (%s: %s)' % (format_, own, os.path.basename(folder), '; '.join('%s: %s' % (what, reason) for _, what, reason in failures)[:200]))
                continue
            for _, what, reason in failures:
                failed += 1
                print('FAILED %s: format %d, %s: %s' % (folder, format_, what, reason))
    if faults > 3 + sum(map(len, by_format.values())) // 8:
        failed += 1
        print('FAILED the engines are at fault too often to have shown anything')
    print('%d passed, %d failed, 0 skipped' % (passed, failed))


if __name__ == '__main__':
    main()
