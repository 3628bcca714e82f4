"""write.py OUT --seed N --from I --count N

Writes random arrays with the real engine and records the results of its reads: OUT/<case>/expected.json, laid out like the
fixtures, with `interop_reads` and `interop_times` in addition. Each case runs in its own process, as the engine crashes on some
inputs. A case that the engine refuses is repeated with other choices. The last line printed is a JSON object with the figures.
"""
import argparse
import collections
import json
import os
import shutil
import signal
import sys
import traceback

from oracle.cases import FAMILIES, Case
from oracle.engine import Engine, EngineError, library

TRIES = 8


def one(lib, out, seed, number, attempt):
    """Writes a case in its own process; exits with 0 on success, 1 if the engine refused it, 3 on an error of this script."""
    signal.setitimer(signal.ITIMER_PROF, 30)       # CPU time: the machine may be busy
    signal.alarm(300)
    fn, round_ = FAMILIES[number % len(FAMILIES)], number // len(FAMILIES) * FAMILIES.count(FAMILIES[number % len(FAMILIES)])
    round_ += FAMILIES[:number % len(FAMILIES)].count(fn)
    folder = os.path.join(out, '%05d_%s' % (number, fn.__name__))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    c = Case(Engine(lib), '%s/%d/%d' % (seed, number, attempt), round_, folder)
    c.ch.nonempty = attempt > 1        # the engine crashes on some empty dense tiles
    code = 0
    try:
        fn(c)
        objects = c.expected()
        with open(os.path.join(folder, 'expected.json'), 'w') as f:
            x = {'case': fn.__name__, 'seed': seed, 'number': number, 'encryption_key': c.key and c.key.decode(), 'notes': sorted(set(c.notes)), 'objects': objects}
            json.dump(x, f, ensure_ascii=False, separators=(',', ':'))
    except EngineError as x:
        c.notes.append('case refused: %s' % x)
        code = 1
    except Exception:
        traceback.print_exc()
        code = 3
    with open(folder + '.notes', 'w') as f:
        json.dump(c.notes, f)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def work(lib, out, seed, numbers):
    """Writes cases sequentially; returns counts."""
    counts = collections.Counter()
    for number in numbers:
        fn = FAMILIES[number % len(FAMILIES)]
        folder = os.path.join(out, '%05d_%s' % (number, fn.__name__))
        for attempt in range(TRIES):
            pid = os.fork()
            if pid == 0:
                one(lib, out, seed, number, attempt)
            _, status = os.waitpid(pid, 0)
            if status & 127:
                counts['crashed'] += 1
                print('crashed (signal %d): %s, attempt %d' % (status & 127, os.path.basename(folder), attempt), file=sys.stderr)
            elif os.path.exists(folder + '.notes'):
                for n in json.load(open(folder + '.notes')):
                    counts['note ' + n] += 1
                os.remove(folder + '.notes')
            if status == 0:
                counts['cases'] += 1
                break
            shutil.rmtree(folder, ignore_errors=True)
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 3:
                counts['mistakes'] += 1
                break
            counts['refused'] += 1
        else:
            counts['given up'] += 1
            print('given up: %s' % os.path.basename(folder), file=sys.stderr)
    return counts


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('out')
    ap.add_argument('--seed', default='1')
    ap.add_argument('--from', type=int, default=0, dest='first')
    ap.add_argument('--count', type=int, default=len(FAMILIES))
    ap.add_argument('--jobs', type=int, default=2)
    a = ap.parse_args()
    out = os.path.abspath(a.out)
    os.makedirs(out, exist_ok=True)
    lib = library()
    pids = []
    for j in range(a.jobs):
        pid = os.fork()
        if pid == 0:
            counts = work(lib, out, a.seed, range(a.first + j, a.first + a.count, a.jobs))
            json.dump(counts, open(os.path.join(out, 'counts.%d' % j), 'w'))
            os._exit(0)
        pids.append(pid)
    total = collections.Counter()
    for j, pid in enumerate(pids):
        os.waitpid(pid, 0)
        path = os.path.join(out, 'counts.%d' % j)
        if os.path.exists(path):
            total.update(json.load(open(path)))
            os.remove(path)
    print(json.dumps({'cases': 0, 'refused': 0, 'crashed': 0, 'given up': 0, 'mistakes': 0, **total}))


if __name__ == '__main__':
    main()
