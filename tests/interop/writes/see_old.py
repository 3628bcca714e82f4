"""Engines of the format version of each array read the arrays that make.ts wrote: `see_old.py FOLDER ENGINES`.

At each time, the metadata, the non-empty domain and the cells must equal meant.json, also in random ranges. If an engine fails
or crashes, it writes the same array itself (control.py): if it fails to read its own array, too, that is reported, but is
not a failure of tessera. Closes with `N passed, N failed, 0 skipped`.
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
from oracle.fetch_engines import library_of                            # noqa: E402
from oracle.old_engines import OldEngine                           # noqa: E402
from writes import control                                          # noqa: E402
from writes.cells import Cells, first_difference, plain            # noqa: E402

SECONDS = 2                      # of CPU time per comparison: some never end


def findings(lib, folder):
    """Yields pairs of the name of a comparison, and the difference or None."""
    with open(os.path.join(folder, 'meant.json')) as f:
        expected = json.load(f)
    e, uri, sch = OldEngine(lib, expected['key'] and expected['key'].encode()), os.path.join(folder, 'array'), expected['schema']
    r, dims = random.Random(os.path.basename(folder)), sch['dimensions']
    for moment in expected['moments']:
        last = moment is expected['moments'][-1]
        # engines before 2.1 fill var-sized cells with uninitialized memory
        filled = [x['name'] for x in sch['attributes'] if e.v < (2, 1) and x['cell_val_num'] == 'var']
        cells, what = Cells(sch, expected['ranges'], moment, filled), '' if last else ' at %d' % moment['at']
        a = e.open(uri, end=None if last else moment['at'])
        if e.has('array_get_metadata_num'):
            # older engines report 0 values in an empty entry, newer ones 1
            reports = [dict(x, num=1) if x['value'] is None else x for x in record.metadata(e, a)]
            yield 'metadata' + what, first_difference(reports, moment['metadata'])
        ned = e.non_empty_domain(a, dims)
        domain = [[record.end_json(x, d) for x in ends] for ends, d in zip(ned, dims)]
        yield 'non-empty domain' + what, first_difference(plain(domain), plain(moment['domain']))
        layout = 'unordered' if sch['cell_order'] == 'hilbert' else 'row-major'
        # engines before 2.2 need a range to read dimensions of text
        whole = cells.whole or ([[ends] for ends in ned] if any(d['cell_val_num'] == 'var' for d in dims) else None)
        yield 'all cells' + what, cells.compare(layout, e.read(a, sch, layout, whole))
        if last and not any(d['cell_val_num'] == 'var' for d in dims):
            ranges = [rs or [(lo, hi)] for rs, (lo, hi) in zip(cells.random_ranges(r, 'global-order') or [None] * len(dims), ned)]
            yield 'ranges %s' % ranges, cells.compare(layout, e.read(a, sch, layout, ranges), ranges)
        e.close(a)


def apart(lib, work):
    """Runs `work(lib, report)` in a separate process; returns the reports, and the exit status of the process: 768 is an error of this script."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        with os.fdopen(w, 'w') as pipe:
            def report(*x):
                pipe.write(json.dumps(x) + '\n')
                pipe.flush()
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
            report()
            stderr = os.dup(2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)     # discards the output of engines that crash
            try:
                work(ct.CDLL(lib), report)
            except Exception:
                os.write(stderr, traceback.format_exc().encode())
                os._exit(3)
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        reports = [json.loads(line) for line in f if line.endswith('\n')]
    return reports[1:], os.waitpid(pid, 0)[1]


def see(path, folders):
    """Returns the comparisons of all folders: (folder, name, difference or None)."""
    def compare(lib, report):
        for folder in folders:
            report(folder, None, None)
            try:
                for what, reason in findings(lib, folder):
                    report(folder, what, reason)
            except Exception as x:
                report(folder, 'reading', '%s: %s' % (type(x).__name__, x))
    reports, status = apart(path, compare)
    out = [x for x in reports if x[1] is not None]
    if status != 0:
        began = reports[-1][0] if reports else folders[0]
        out.append((began, 'reading', 'the engine ended with %d' % status))
        out += see(path, folders[folders.index(began) + 1:])
    return out


def kinds(failures):
    """Returns the kinds of failures; engines that read beyond their memory crash, refuse, or return other cells at random."""
    return {what.split(' at ')[0] if what.startswith(('metadata', 'non-empty')) else 'cells' for _, what, _ in failures}


def fault(path, folder, failures):
    """Returns a defect of the engine: that it cannot write such an array itself, or fails to read its own in the same way; else None."""
    def write(lib, report):
        try:
            control.write(OldEngine(lib, expected['key'] and expected['key'].encode()), expected, own, alone)
            report(None)
        except EngineError as x:
            report(str(x))
    with open(os.path.join(folder, 'meant.json')) as f:
        expected = json.load(f)
    # the engine writes the fragments of one commit as one fragment: it gets similar tiles if each cell is a separate fragment
    for alone in [False, True] if expected['sparse'] and len(expected['fragments']) > len(expected['moments']) else [False]:
        with tempfile.TemporaryDirectory() as top:
            own = os.path.join(top, os.path.basename(folder))
            reports, status = apart(path, write)
            if status == 768:
                return None
            if status != 0 or reports != [[None]]:
                return 'cannot write this array: ' + (reports[0][0] if reports else 'it ended with %d' % status)
            own_failures = [x for _ in range(3) for x in see(path, [own]) if x[2] is not None]
        if kinds(failures) <= kinds(own_failures):
            return 'fails to read its own array, too'
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
        path = library_of(engines, format_)
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
        print('FAILED the engines failed on their own arrays too often')
    print('%d passed, %d failed, 0 skipped' % (passed, failed))


if __name__ == '__main__':
    main()
