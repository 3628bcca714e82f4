"""tessera describes the history of arrays by the engine: `history.py FOLDER SEED COMMAND…` (the command line of tessera).

The engine writes arrays with deletes, schema evolution, consolidation and metadata. The log must contain each change, and
the differences of two times must equal those of the engine's own reads. Tags must be readable by the engine.
Closes with `N passed, N failed, 0 skipped`.
"""
import json
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import tiledb

folder, seed, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
random = np.random.default_rng(seed)
counts = {True: 0, False: 0}


def check(label, expected, actual):
    counts[expected == actual] += 1
    if expected != actual:
        print('FAILED %s: expected %s, actual %s' % (label, str(expected)[:300], str(actual)[:300]))


def tessera(*args):
    return subprocess.run([*command, *args], check=True, capture_output=True, text=True).stdout


def write_sparse(uri, duplicates):
    domain = tiledb.Domain(tiledb.Dim('x', domain=(0, 99), tile=10, dtype=np.int32))
    attrs = [tiledb.Attr('v', dtype=np.float64), tiledb.Attr('s', dtype='ascii', var=True, nullable=True)]
    schema = tiledb.ArraySchema(domain=domain, attrs=attrs, sparse=True, allows_duplicates=duplicates, capacity=4)
    tiledb.Array.create(uri, schema)
    for time in (110, 120, 130, 150):
        if time == 150:
            with tiledb.open(uri, 'd', timestamp=140) as array:
                array.query(cond='v > 4').submit()
        x = random.choice(100, 40, replace=False).astype(np.int32)
        with tiledb.open(uri, 'w', timestamp=time) as array:
            values = np.where(x % 7 == 0, np.nan, random.integers(0, 6, 40).astype(np.float64))
            text = np.array(['t%d' % (i % 3) for i in x], dtype='S')
            array[x] = {'v': values, 's': text}
            array.meta['time'] = time
    with tiledb.open(uri, 'm', timestamp=160) as array:
        del array.meta['time']
        array.meta['title'] = 'history'


def sparse_cells(uri, time):
    with tiledb.open(uri, timestamp=time) as array:
        data = array.query(return_incomplete=False)[:]
    return Counter(zip(data['x'].tolist(), (str(v) for v in data['v'].tolist()), [bytes(s).decode() for s in data['s']]))


def differences(uri, start, end):
    """Returns the cells that a difference removes and adds."""
    removed, added = Counter(), Counter()
    for line in tessera('diff', uri, '--from', str(start), '--to', str(end), '--cells', '--json').splitlines():
        cell = json.loads(line)
        for side, count in (('before', removed), ('after', added)):
            if cell[side] is not None:
                count[(tuple(cell['coordinates'].values()), tuple(sorted(cell[side].items())))] += 1
    return removed, added


def places(cells):
    """Returns the coordinates of cells."""
    return Counter(x for ((x,), _), n in cells.items() for _ in range(n))


def check_sparse(uri, duplicates):
    for start, end in ((105, 110), (110, 120), (110, 135), (130, 145), (120, 200), (150, 200)):
        old, new = sparse_cells(uri, start), sparse_cells(uri, end)
        removed, added = differences(uri, start, end)
        label = '%s diff %d %d' % (uri, start, end)
        check(label + ' removed', Counter(c[0] for c in (old - new).elements()), places(removed))
        check(label + ' added', Counter(c[0] for c in (new - old).elements()), places(added))
        if duplicates:
            full = {(c[0], c[1], c[2]) for c in (new - old)}
            seen = {(x, str(float(dict(v)['v'])), dict(v)['s']) for ((x,), v) in added}
            check(label + ' values', full, seen)


def main():
    for duplicates in (False, True):
        uri = os.path.join(folder, 'history_%s' % ('duplicates' if duplicates else 'unique'))
        write_sparse(uri, duplicates)
        # fragments and metadata of one write have the same time, in any order
        log = json.loads(tessera('log', uri, '--json', '--to', '1000'))
        check(uri + ' log', sorted([(t, k) for t in (110, 120, 130, 150) for k in ('metadata', 'written')] +
                                   [(140, 'deleted'), (160, 'metadata')]), sorted((c['end'], c['kind']) for c in log))
        check(uri + ' cells', [40] * 4, [c['cells'] for c in log if c['kind'] == 'written'])
        meta = [(c['added'], c['removed']) for c in log if c['kind'] == 'metadata'][-1]
        check(uri + ' keys', (['title'], ['time']), meta)
        difference = json.loads(tessera('diff', uri, '--from', '155', '--to', '165', '--json'))
        check(uri + ' metadata', [('time', True, False), ('title', False, True)],
              [(m['key'], m['before'] is not None, m['after'] is not None) for m in difference['metadata']])
        check_sparse(uri, duplicates)
        tessera('tag', uri, 'release', '--at', '130')
        with tiledb.open(uri) as array:
            check(uri + ' tag', 130, json.loads(array.meta['tessera.tag.release'])['time'])
        with tiledb.open(uri, 'm') as array:
            array.meta['tessera.tag.engine'] = '{"format":"tessera-tag","version":1,"time":120,"created":1}'
        check(uri + ' names', [('engine', 120), ('release', 130)],
              [(t['name'], t['time']) for t in json.loads(tessera('tag', uri, '--json'))])
        check(uri + ' at a tag', tessera('read', uri, '--at', '120', '--json'), tessera('read', uri, '--at', 'engine', '--json'))
        tiledb.consolidate(uri)
        log = json.loads(tessera('log', uri, '--json', '--to', '1000'))
        check(uri + ' consolidated', ([110, 150], [True] * 4), (
            [t for c in log if c['kind'] == 'consolidated' and 'cells' in c for t in (c['start'], c['end'])],
            [c['replaced'] for c in log if c['kind'] == 'written']))
        check_sparse(uri, duplicates)
        tiledb.vacuum(uri)
        log = json.loads(tessera('log', uri, '--json', '--to', '1000'))
        check(uri + ' vacuumed', [], [c for c in log if c['kind'] == 'written'])
        check_sparse(uri, duplicates)
        evolution = tiledb.ArraySchemaEvolution()
        evolution.add_attribute(tiledb.Attr('extra', dtype=np.int8))
        evolution.drop_attribute('s')
        evolution.array_evolve(uri)
        names = [(p['part'], p['name'], p['before'] is None)
                 for p in json.loads(tessera('diff', uri, '--from', '200', '--to', '9999999999999', '--json'))['schema']]
        check(uri + ' schema', [('attribute', 's', False), ('attribute', 'extra', True)], names)
        kinds = [c['kind'] for c in json.loads(tessera('log', uri, '--json')) if c['kind'] in ('created', 'evolved')]
        check(uri + ' schemas', ['created', 'evolved'], kinds)
    print('%d passed, %d failed, 0 skipped' % (counts[True], counts[False]))


if __name__ == '__main__':
    main()
