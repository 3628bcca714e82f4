"""make.py write|ask OUT --seed S --from N --count N --queries N

`write`: the engine's first turn of random arrays; writes tessera's steps to ours.json. `ask`: the engine's second turn, after tessera's;
then writes queries.jsonl: a line for the array, and one for each query. Each case runs in its own process, since some crash the engine.
"""
import argparse
import collections
import json
import os
import shutil
import signal
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from oracle import record                                        # noqa: E402
from oracle.engine import Engine, EngineError, library           # noqa: E402
from queries.arrays import Plan                                  # noqa: E402
from queries.ask import Ask                                      # noqa: E402

TRIES = 6


def child(work):
    """Runs `work` in a separate process; returns its exit code, or the negative signal."""
    pid = os.fork()
    if pid == 0:
        signal.setitimer(signal.ITIMER_PROF, 30)       # CPU time: the machine may be busy
        code = 3
        try:
            code = work()
        except Exception:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    _, status = os.waitpid(pid, 0)
    return -(status & 127) if status & 127 else status >> 8


def engine(lib, plan):
    e = Engine(lib)
    return e if plan.key is None else e.keyed(plan.key)


def plan_of(folder):
    with open(os.path.join(folder, 'seed')) as f:
        return Plan(f.read())


def write(lib, folder, seed, counts):
    """Runs the first turn; repeats it with other choices if the engine refuses or crashes."""
    for attempt in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)

        def work():
            attempt_seed = '%s/%d' % (seed, attempt)
            with open(os.path.join(folder, 'seed'), 'w') as f:
                f.write(attempt_seed)
            plan, notes = Plan(attempt_seed), []
            try:
                plan.run(engine(lib, plan), os.path.join(folder, 'array'), 1, notes)
            except EngineError as x:
                print('%s refused: %s' % (folder, x), file=sys.stderr)
                return 1
            with open(os.path.join(folder, 'ours.json'), 'w') as f:
                json.dump(plan.ours(), f)
            return 0
        code = child(work)
        if code == 0:
            return
        if code == 3:
            break
        counts['crashed' if code < 0 else 'refused'] += 1
    counts['mistakes' if code == 3 else 'given up'] += 1
    shutil.rmtree(folder, ignore_errors=True)


def ask(lib, folder, seed, queries, counts):
    """Runs the second turn and the queries; a query that crashes the engine is recorded as null."""
    path = os.path.join(folder, 'queries.jsonl')

    def begin():
        plan, notes = plan_of(folder), []
        e, uri = engine(lib, plan), os.path.join(folder, 'array')
        try:
            plan.run(e, uri, 3, notes)
        except EngineError as x:
            print('%s refused: %s' % (folder, x), file=sys.stderr)
            return 1
        a = e.open(uri)
        sch = record.schema(e, e.new('array_get_schema', a))
        e.close(a)
        with open(path, 'w') as f:
            f.write(json.dumps({'schema': sch, 'key': plan.key and plan.key.decode(), 'notes': notes}) + '\n')
        return 0
    code = child(begin)
    if code != 0:
        counts['crashed' if code < 0 else 'refused' if code == 1 else 'mistakes'] += 1
        shutil.rmtree(folder, ignore_errors=True)
        return
    for first in range(queries):
        def work():
            plan = plan_of(folder)
            asker = Ask(engine(lib, plan), plan, os.path.join(folder, 'array'))
            for i in range(done(path), queries):
                q = asker.query('%s/%d' % (seed, i))
                with open(path, 'a') as f:
                    f.write(json.dumps(q, ensure_ascii=False) + '\n')
            return 0
        code = child(work)
        if code == 0:
            break
        counts['died' if code < 0 else 'mistakes'] += 1
        print('%s: query %d ended the process (%d)' % (folder, done(path), code), file=sys.stderr)
        with open(path, 'a') as f:
            f.write('null\n')


def done(path):
    with open(path) as f:
        return sum(1 for _ in f) - 1


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('turn', choices=['write', 'ask'])
    ap.add_argument('out')
    ap.add_argument('--seed', default='1')
    ap.add_argument('--from', type=int, default=0, dest='first')
    ap.add_argument('--count', type=int, default=10)
    ap.add_argument('--queries', type=int, default=10)
    ap.add_argument('--jobs', type=int, default=2)
    a = ap.parse_args()
    out = os.path.abspath(a.out)
    os.makedirs(out, exist_ok=True)
    lib = library()

    def job(j):
        counts = collections.Counter()
        for n in range(a.first + j, a.first + a.count, a.jobs):
            folder, seed = os.path.join(out, '%05d' % n), '%s/%d' % (a.seed, n)
            if a.turn == 'write':
                write(lib, folder, seed, counts)
            elif os.path.exists(folder):
                ask(lib, folder, seed, a.queries, counts)
        return counts
    pids = []
    for j in range(a.jobs):
        pid = os.fork()
        if pid == 0:
            with open(os.path.join(out, 'counts.%d' % j), 'w') as f:
                json.dump(job(j), f)
            os._exit(0)
        pids.append(pid)
    total = collections.Counter()
    for j, pid in enumerate(pids):
        os.waitpid(pid, 0)
        path = os.path.join(out, 'counts.%d' % j)
        total.update(json.load(open(path)))
        os.remove(path)
    print(json.dumps({'refused': 0, 'crashed': 0, 'given up': 0, 'mistakes': 0, 'died': 0, **total}))


if __name__ == '__main__':
    main()
