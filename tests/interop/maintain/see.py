"""tessera and the engine consolidate and vacuum arrays in turn: `see.py FOLDER SEED COMMAND…` (the command line of tessera).

The engine writes arrays with several fragments and deletes. After each step, it must read the same cells as before, at every
timestamp. Closes with `N passed, N failed, 0 skipped`.
"""
import os
import subprocess
import sys

import numpy as np
import tiledb

folder, seed, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
random = np.random.default_rng(seed)
TIMES = [5, 10, 25, 35, 36, 45, 60, None]
STEPS = [
    ('consolidate', '--mode', 'fragments'), ('vacuum', '--mode', 'fragments', '--age', '0s'),
    ('consolidate', '--mode', 'commits'), ('consolidate', '--mode', 'fragment_meta'),
    ('vacuum', '--mode', 'commits', '--age', '0s'), ('vacuum', '--mode', 'fragment_meta', '--age', '0s'),
    ('consolidate', '--mode', 'array_meta'), ('vacuum', '--mode', 'array_meta', '--age', '0s'),
]


def cells(uri, time):
    """Returns the cells at a time, and the current metadata (consolidated metadata has no history), in a comparable form."""
    with tiledb.open(uri, timestamp=time) as array:
        data, metadata = array[:], dict(array.meta) if time is None else None
        if not array.schema.sparse:
            return [repr({name: np.asarray(column).tolist() for name, column in data.items()}), metadata]
        return [sorted(zip(*[[str(value) for value in data[name]] for name in ('x', 'v', 's')])), metadata]


def write_sparse(uri, duplicates, deletes):
    domain = tiledb.Domain(tiledb.Dim('x', domain=(0, 999), tile=100, dtype=np.int32))
    attrs = [tiledb.Attr('v', dtype=np.int64), tiledb.Attr('s', dtype='ascii', var=True)]
    schema = tiledb.ArraySchema(domain=domain, attrs=attrs, sparse=True, allows_duplicates=duplicates, capacity=16)
    tiledb.Array.create(uri, schema)
    for time in range(1, 7):
        x = random.choice(1000, 60, replace=False).astype(np.int32)
        with tiledb.open(uri, 'w', timestamp=time * 10) as array:
            array[x] = {'v': x.astype(np.int64) * time, 's': np.array(['t%dx%d' % (time, i) for i in x], dtype='S')}
            array.meta['time'] = time
    if deletes:
        with tiledb.open(uri, 'd', timestamp=35) as array:
            array.query(cond='v > 1500').submit()


def write_dense(uri):
    dims = [tiledb.Dim(name, domain=(0, 19), tile=tile, dtype=np.int32) for name, tile in (('y', 5), ('x', 4))]
    tiledb.Array.create(uri, tiledb.ArraySchema(domain=tiledb.Domain(*dims), attrs=[tiledb.Attr('a', dtype=np.float64)]))
    for time in range(1, 6):
        y, x = random.integers(0, 12, 2)
        with tiledb.open(uri, 'w', timestamp=time * 10) as array:
            array[y:y + 7, x:x + 6] = random.random((7, 6))


def main():
    passed = failed = 0
    for case in ('plain', 'duplicates', 'deletes', 'duplicates deletes', 'dense'):
        uri = os.path.join(folder, case)
        if case == 'dense':
            write_dense(uri)
        else:
            write_sparse(uri, 'duplicates' in case, 'deletes' in case)
        # consolidated dense fragments have no times of cells
        times = [None] if case == 'dense' else TIMES
        before = [cells(uri, time) for time in times]
        steps = [(step, lambda step=step: subprocess.run(
            [*command, step[0], uri, *step[1:], *(('--amplification', '10') if case == 'dense' and 'fragments' in step[2] and
                                                  step[0] == 'consolidate' else ())],
            check=True, capture_output=True)) for step in STEPS]
        steps.append((('the engine',), lambda: (tiledb.consolidate(uri), tiledb.vacuum(uri))))
        for step, run in steps:
            run()
            verified = subprocess.run([*command, 'verify', uri], capture_output=True, text=True)
            if verified.returncode == 0:
                passed += 1
            else:
                failed += 1
                print('FAILED %s: verify after %s: %s' % (uri, ' '.join(step), verified.stdout + verified.stderr))
            if [cells(uri, time) for time in times] == before:
                passed += 1
            else:
                failed += 1
                print('FAILED %s: other cells after %s' % (uri, ' '.join(step)))
        if len(tiledb.array_fragments(uri)) == 1:
            passed += 1
        else:
            failed += 1
            print('FAILED %s: more than one fragment remains' % uri)
    print('%d passed, %d failed, 0 skipped' % (passed, failed))


if __name__ == '__main__':
    main()
