"""A process of the soak in the engine: `engine.py ROLE CASE ROOT SECONDS`; roles and output as in `actor.ts`."""
import json
import os
import sys
import time

import numpy as np
import tiledb

role, kind, root, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
uri = os.path.join(root, 'array')
WRITER, WRITERS, CELLS, ROWS, COLUMNS = 1, 2, 8, 4, 10


def log(event, write):
    with open(os.path.join(root, 'writer-%d.log' % WRITER), 'a') as file:
        file.write('%s %d\n' % (event, write))


reopened = 0


def open_listed(mode):
    """Opens the array for reads or deletes; again if a vacuum removes a commit file between its listing and the read.

    The engine reads vacuum files and consolidated commits after it has listed them, and fails if one is missing then. Its
    writes do not read them.
    """
    global reopened
    while True:
        try:
            return tiledb.open(uri, mode)
        except tiledb.TileDBError as error:
            if 'No such file' not in str(error) or '__commits/' not in str(error):
                raise
            reopened += 1


def write_once(write):
    log('begin', write)
    with tiledb.open(uri, 'w') as array:
        if kind == 'dense':
            array[WRITER * ROWS:(WRITER + 1) * ROWS, 0:COLUMNS] = np.full((ROWS, COLUMNS), write, np.int32)
        else:
            size = CELLS + 1
            writes = np.array([write] * CELLS + [0], np.int32)
            cells = np.array([*range(CELLS), 0], np.int32)
            texts = np.array(['%d %s' % (write, 'y' * i) for i in range(size)], dtype='O')
            array[np.full(size, WRITER, np.int32), writes, cells] = {'value': np.full(size, write, np.int32), 'text': texts}
    log('end', write)
    if kind == 'deletes' and write % 7 == 0:
        log('begin-delete', write - 2)
        with open_listed('d') as array:
            array.query(cond='writer == %d and write == %d' % (WRITER, write - 2)).submit()
        log('end-delete', write - 2)


def progress():
    """Returns for each writer the numbers of begun and ended writes, and the sets of begun and ended deletes."""
    result = []
    for writer in range(WRITERS):
        with open(os.path.join(root, 'writer-%d.log' % writer)) as file:
            text = file.read()
        events = [line.split() for line in text[:text.rfind('\n') + 1].splitlines()]
        writes = {name: {int(write) for event, write in events if event == name}
                  for name in ('begin', 'end', 'begin-delete', 'end-delete')}
        result.append((len(writes['begin']), len(writes['end']), writes['begin-delete'], writes['end-delete']))
    return result


def read_once():
    """Returns a problem of a read, or None."""
    before = progress()
    with open_listed('r') as array:
        data = array[:]
    after = progress()
    for writer, ((_, ended, _, deleted), (begun, _, deleting, _)) in enumerate(zip(before, after)):
        if kind == 'dense':
            box = set(np.asarray(data['value'] if isinstance(data, dict) else data)[writer * ROWS:(writer + 1) * ROWS].ravel())
            if len(box) != 1 or (ended > 0 and not ended <= min(box) <= begun):
                return 'writer %d ended write %d, but its box has %s' % (writer, ended, box)
            continue
        own = data['writer'] == writer
        writes, values = data['write'][own], data['value'][own]
        numbers, counts = np.unique(writes[writes > 0], return_counts=True)
        found = dict(zip(numbers.tolist(), counts.tolist()))
        for write in range(1, ended + 1):
            if write not in found and write not in deleting:
                return 'write %d of writer %d is lost; %d ended' % (write, writer, ended)
            if write in found and write in deleted:
                return 'write %d of writer %d is visible after its delete' % (write, writer)
        for write, count in found.items():
            if write > begun or not (count == CELLS or (kind == 'duplicates' and seconds > 0 and count % CELLS == 0)):
                return 'write %d of writer %d has %d cells; %d begun' % (write, writer, count, begun)
        latest = values[writes == 0].tolist()
        if kind == 'duplicates':
            if not set(range(1, ended + 1)) <= set(latest):
                return 'cells of writer %d that have duplicates are lost' % writer
        elif ended > 0 and not (len(latest) == 1 and ended <= latest[0] <= begun):
            return 'writer %d ended write %d, but its latest cell is %s' % (writer, ended, latest)
    return None


def main():
    rounds, problems, end = 0, [], time.time() + seconds
    while not problems and (rounds == 0 or time.time() < end):
        rounds += 1
        try:
            if role == 'writer':
                write_once(rounds)
            else:
                problem = read_once()
                problems += [] if problem is None else [problem]
        except tiledb.TileDBError as error:
            problems.append(str(error))
    print(json.dumps({'role': 'engine ' + role, 'rounds': rounds, 'refusals': reopened, 'repeated': 0, 'problems': problems}))


if __name__ == '__main__':
    main()
