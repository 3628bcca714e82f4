"""Maintenance of random arrays: `random_arrays.py FOLDER SEED COUNT COMMAND…` (the command line of tessera).

Each array has a random schema, fragments and deletes of the engine and of tessera, and changes of the schema between them. Then
tessera and the engine consolidate and vacuum it in random order. After each step, both must read the same cells as before, at
every timestamp that the format keeps. Closes with `N passed, N failed, 0 skipped`; a failure names the seed of its array.
"""
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import tiledb

folder, first, count, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
KINDS = ['rain', 'snow', 'hail']
OLD_VERSIONS = [5, 6, 7, 8, 9, 10, 12, 14, 15, 18, 20, 21]
# from this version on, consolidated sparse fragments contain the times of their cells
FIRST_WITH_TIMES = 15
# from this version on, commits can be consolidated
FIRST_WITH_COMMITS = 12
# from this version on, attributes can be nullable and cells can have Hilbert order
FIRST_WITH_NULLS = 7


def tessera(*args, text=None):
    """Runs a command of tessera and returns its output."""
    done = subprocess.run([*command, *args], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError('tessera %s: %s' % (' '.join(args), done.stderr.strip()))
    return done.stdout


def tessera_twice(*args):
    """Runs a command of tessera in two processes at the same time."""
    processes = [subprocess.Popen([*command, *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = [process.communicate()[1] for process in processes]
    for process, error in zip(processes, errors):
        if process.returncode != 0:
            raise RuntimeError('tessera %s: %s' % (' '.join(args), error.strip()))


class Case:
    """An array with its random choices."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.uri = os.path.join(folder, 'random-%d' % seed)
        self.sparse = self.random.random() < 0.8
        self.strings = self.random.random() < 0.4
        self.duplicates = self.random.random() < 0.4
        self.version = int(self.random.choice(OLD_VERSIONS)) if self.random.random() < 0.4 else 22
        self.names = ['v', 's', 'n', 'e']
        self.has_dropped = False
        self.has_deletes = False
        # times have four digits: the engine sorts names of schemas and commits as text
        self.time = 1000
        self.times = []
        self.create()

    def keeps_times(self):
        return self.sparse and self.version >= FIRST_WITH_TIMES

    def create(self):
        random = self.random
        if not self.sparse:
            dims = [tiledb.Dim(name, domain=(0, 19), tile=int(random.integers(2, 9)), dtype=np.int32) for name in ('y', 'x')]
        else:
            dims = [tiledb.Dim('x', domain=(-50, 50), tile=int(random.integers(1, 60)), dtype=np.int32)]
            if self.strings:
                dims.append(tiledb.Dim('k', domain=(None, None), tile=None, dtype='ascii'))
        filters = tiledb.FilterList([tiledb.ZstdFilter()] if random.random() < 0.5 else [])
        attrs = [
            tiledb.Attr('v', dtype=np.int64, filters=filters),
            tiledb.Attr('s', dtype='ascii', var=True, filters=filters),
            tiledb.Attr('n', dtype=np.float32, nullable=self.version >= FIRST_WITH_NULLS),
            tiledb.Attr('e', dtype=np.int8, enum_label='kinds'),
        ]
        if not self.sparse:
            attrs = [attrs[0], tiledb.Attr('n', dtype=np.float32)]
            self.names = ['v', 'n']
        elif self.version < 20:
            # enumerations exist from version 20 on
            attrs = attrs[:3]
            self.names = ['v', 's', 'n']
        enums = [tiledb.Enumeration('kinds', False, KINDS)] if 'e' in self.names else None
        order = random.choice(['row-major', 'col-major', 'hilbert'][:3 if self.version >= FIRST_WITH_NULLS else 2]) if self.sparse else 'row-major'
        options = {'allows_duplicates': self.duplicates, 'capacity': int(random.integers(2, 40))} if self.sparse else {}
        schema = tiledb.ArraySchema(
            domain=tiledb.Domain(*dims), attrs=attrs, enums=enums, sparse=self.sparse, cell_order=order,
            tile_order='row-major', **options)
        tiledb.Array.create(self.uri, schema)
        # the engine creates arrays at the current time only, and only in its own version
        text = tessera('schema', self.uri, '--json')
        shutil.rmtree(self.uri)
        tessera('create', self.uri, '--schema', '-', '--format-version', str(self.version), '--at', '1000', text=text)

    def next_time(self):
        self.time += int(self.random.integers(2, 20))
        self.times += [self.time - 1, self.time]
        return self.time

    def write(self):
        random, time = self.random, self.next_time()
        if not self.sparse:
            y, x = random.integers(0, 12, 2)
            values = random.integers(0, 99, (7, 6))
            with tiledb.open(self.uri, 'w', timestamp=time) as array:
                array[y:y + 7, x:x + 6] = {
                    attr: values.astype(np.int64 if attr == 'v' else np.float32) for attr in self.names}
            return
        size = int(random.integers(1, 30))
        x = random.choice(np.arange(-50, 51), size, replace=self.duplicates).astype(np.int32)
        k = np.array(['k%d' % i for i in random.integers(0, 5, size)])
        columns = {
            'v': random.integers(-9, 99, size), 's': np.array(['t%d' % i for i in random.integers(0, 1000, size)]),
            'n': random.integers(0, 50, size).astype(np.float32), 'e': random.integers(0, len(KINDS), size).astype(np.int8),
            'w': random.integers(0, 9, size).astype(np.int16)}
        if self.version == 22 and random.random() < 0.5:
            coordinates = (x, k.astype('S')) if self.strings else x
            with tiledb.open(self.uri, 'w', timestamp=time) as array:
                array[coordinates] = {
                    name: columns[name].astype('S') if name == 's' else columns[name] for name in self.names}
            return
        fields = ['x', *(['k'] if self.strings else []), *self.names]
        data = {**columns, 'x': x, 'k': k}
        rows = [','.join(fields)]
        for i in range(size):
            rows.append(','.join(
                '' if name == 'n' and self.version >= FIRST_WITH_NULLS and random.random() < 0.3 else
                KINDS[data[name][i]] if name == 'e' else str(data[name][i]) for name in fields))
        tessera('import', '-', self.uri, '--append', '--at', str(time), '--quiet', text='\n'.join(rows) + '\n')

    def delete(self):
        time, limit = self.next_time(), int(self.random.integers(0, 90))
        self.has_deletes = True
        if self.version == 22 and self.random.random() < 0.5:
            with tiledb.open(self.uri, 'd', timestamp=time) as array:
                array.query(cond='v > %d' % limit).submit()
        else:
            tessera('delete', self.uri, '--where', 'v > %d' % limit, '--at', str(time), '--quiet')

    def evolve(self):
        time = self.next_time()
        evolution = tiledb.ArraySchemaEvolution(tiledb.Ctx())
        evolution.timestamp(time)
        if 'w' not in self.names:
            evolution.add_attribute(tiledb.Attr('w', dtype=np.int16))
            self.names.append('w')
        elif 'n' in self.names:
            evolution.drop_attribute('n')
            self.names.remove('n')
            self.has_dropped = True
        evolution.array_evolve(self.uri)

    def cells(self, time):
        """Returns the cells that the engine reads, in a comparable form."""
        with tiledb.open(self.uri, timestamp=time) as array:
            data = array[:]
            columns = [np.ma.asarray(data[name]).astype(str).filled('null').ravel().tolist() for name in sorted(data)]
        rows = list(zip(*columns))
        return sorted(rows) if self.sparse else rows

    def state(self):
        """Returns what both engines read at the times that the format keeps."""
        times = [*self.times, None] if self.keeps_times() else [None]
        lines = {}
        for time in ([None, int(self.random.choice(self.times))] if self.keeps_times() else [None]):
            at = () if time is None else ('--at', str(time))
            lines[time] = sorted(tessera('read', self.uri, '--format', 'ndjson', *at).splitlines())
        return {time: self.cells(time) for time in times}, lines

    def steps(self):
        """Returns random steps of maintenance: a name and a function each."""
        random = self.random
        steps = []
        for _ in range(7):
            mode = str(random.choice(['fragments', 'fragments', 'commits', 'fragment_meta']))
            if mode == 'commits' and self.version < FIRST_WITH_COMMITS:
                continue
            verb = str(random.choice(['consolidate', 'vacuum', 'tidy']))
            # the engine cannot consolidate commits of deletes twice: known_engine_defects.ts
            is_defect = mode == 'commits' and self.has_deletes and verb != 'vacuum'
            if self.version == 22 and not is_defect and random.random() < 0.4:
                config = tiledb.Config({'sm.consolidation.mode': mode, 'sm.vacuum.mode': mode})
                verb = 'vacuum' if verb == 'vacuum' else 'consolidate'
                run = getattr(tiledb, verb)
                steps.append(('engine %s %s' % (verb, mode), lambda run=run, config=config: run(self.uri, config=config)))
                continue
            args = [verb, self.uri, *(() if verb == 'tidy' else ('--mode', mode))]
            if verb != 'consolidate':
                args += ['--age', '0s']
            elif mode == 'fragments':
                args += ['--amplification', '100']
                if random.random() < 0.6:
                    args += ['--max-fragments', str(int(random.integers(2, 4))), '--min-fragments', '2', '--steps', '1']
            if verb == 'tidy' and random.random() < 0.5:
                args.append('--drop-history')
            # several processes may tidy an array at the same time
            run = tessera_twice if verb == 'tidy' and random.random() < 0.4 else tessera
            name = ' '.join([args[0], *args[2:], *(['twice'] if run is tessera_twice else [])])
            steps.append((name, lambda args=args, run=run: run(*args, '--quiet')))
        return steps


def check(seed):
    """Maintains one array; returns the number of checks that passed and the failures."""
    case = Case(seed)
    passed, failures = 0, []
    for i in range(int(case.random.integers(3, 7))):
        case.write()
        if case.sparse and case.version >= 16 and case.random.random() < 0.3:
            case.delete()
        if case.sparse and case.version == 22 and case.random.random() < 0.3:
            case.evolve()
    done = []
    steps = case.steps()
    for name, run in steps:
        if case.random.random() < 0.2:
            case.write()
        engine, _ = case.state()
        done.append(name)
        try:
            run()
            if len(done) == len(steps):
                # without --quick, each tile is checked; a finding of severity error is a failure
                tessera('verify', case.uri)
        except (RuntimeError, tiledb.TileDBError) as error:
            failures.append('%s: %s' % (', '.join(done), error))
            break
        after, lines = case.state()
        # fragments that the engine combines lose the values of dropped attributes at earlier times
        times = [None] if case.has_dropped and name == 'engine consolidate fragments' else engine
        wrong = [time for time in times if after[time] != engine[time]]
        wrong += ['tessera at %s' % time for time in lines if len(lines[time]) != len(after[time])] if case.sparse else []
        if wrong:
            failures.append('%s: other cells at %s' % (', '.join(done), wrong))
            break
        passed += 1
    shutil.rmtree(case.uri)
    return passed, ['sparse' if case.sparse else 'dense', case.version, failures] if failures else None


def main():
    passed = failed = 0
    for seed in range(first, first + count):
        done, failure = check(seed)
        passed += done
        if failure is not None:
            failed += 1
            print('FAILED random array %d: %s' % (seed, json.dumps(failure)))
    print('%d passed, %d failed, 0 skipped' % (passed, failed))


if __name__ == '__main__':
    main()
