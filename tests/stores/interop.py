"""Interop on an object store: `interop.py ROOT CONFIG COMMAND…` (a URI such as s3://bucket/folder, the settings of the engine as
JSON, and the command line of tessera).

The engine and tessera write, change, delete, consolidate and vacuum the same arrays; after each step both read the same cells.
Closes with `N passed, N failed`.
"""
import json
import subprocess
import sys
import tempfile

import numpy as np
import tiledb

root, config, command = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
ctx = tiledb.Ctx(config)
passed = failed = 0


def check(name, ok, detail=''):
    """Counts a check and prints a failed one."""
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print('FAILED %s %s' % (name, detail))


def tessera(*args, text=None, code=0):
    """Runs a command of tessera and returns its output."""
    done = subprocess.run([*command, *args], input=text, capture_output=True, text=True)
    if done.returncode != code:
        raise RuntimeError('tessera %s: exit code %d: %s' % (' '.join(args), done.returncode, done.stderr.strip()))
    return done.stdout


def text_of(cells):
    """Returns a text of the cells of a row: numbers in one form, since JSON has no integers of 64 bits."""
    def plain(value):
        value = value.item() if isinstance(value, np.generic) else value
        return value.decode() if isinstance(value, bytes) else str(float(value)) if isinstance(value, (int, float)) else value

    return json.dumps({name: plain(value) for name, value in cells.items()}, sort_keys=True)


def rows(uri, *args):
    """Reads all cells with tessera: as texts, sorted, since the order of equal coordinates is not defined."""
    lines = [json.loads(line) for line in tessera('read', uri, '--format', 'ndjson', *args).splitlines()]
    return sorted(text_of({**line, **({'v': int(line['v'])} if isinstance(line.get('v'), str) else {})}) for line in lines)


def engine_rows(uri, timestamp=None, key=None):
    """Reads all cells with the engine, as {rows} does."""
    own = ctx if key is None else tiledb.Ctx({**config, 'sm.encryption_type': 'AES_256_GCM', 'sm.encryption_key': key})
    with tiledb.open(uri, ctx=own, timestamp=timestamp) as array:
        if array.schema.sparse:
            cells = array[:]
        else:
            box = array.nonempty_domain()
            cells = array[box[0][0]:box[0][1] + 1, box[1][0]:box[1][1] + 1]
            cells = {name: value.ravel() for name, value in cells.items()}
        count = len(next(iter(cells.values())))
        return sorted(text_of({name: value[i] for name, value in cells.items()}) for i in range(count))


def same(name, uri, timestamp=None):
    """Checks that both read the same cells."""
    times = [] if timestamp is None else ['--at', str(timestamp)]
    actual, expected = rows(uri, *times), engine_rows(uri, timestamp)
    check(name, actual == expected, "\n  tessera %s\n  engine  %s" % (actual[:5], expected[:5]))


def create_sparse(uri, **options):
    domain = tiledb.Domain(
        tiledb.Dim('x', domain=(0, 999), tile=100, dtype=np.int32, ctx=ctx),
        tiledb.Dim('k', domain=(None, None), tile=None, dtype='ascii', ctx=ctx),
        ctx=ctx,
    )
    attrs = [
        tiledb.Attr('v', dtype=np.int64, filters=tiledb.FilterList([tiledb.ZstdFilter(ctx=ctx)], ctx=ctx), ctx=ctx),
        tiledb.Attr('s', dtype='U0', var=True, ctx=ctx),
    ]
    tiledb.Array.create(uri, tiledb.ArraySchema(domain, attrs=attrs, sparse=True, capacity=10, ctx=ctx, **options), ctx=ctx)


def write_sparse(uri, start, timestamp):
    with tiledb.open(uri, 'w', ctx=ctx, timestamp=timestamp) as array:
        x = np.arange(start, start + 30, dtype=np.int32)
        keys = np.array(['k%d' % (i % 7) for i in x], dtype='O')
        array[x, keys] = {'v': x.astype(np.int64) * 10 + timestamp, 's': np.array(['text %d' % i for i in x], dtype='O')}


def sparse(name, duplicates):
    uri = '%s/%s' % (root, name)
    create_sparse(uri, allows_duplicates=duplicates)
    for i, start in enumerate([0, 10, 40]):
        write_sparse(uri, start, 100 + i)
    same(name + ': fragments of the engine', uri)
    tessera('import', '-', uri, '--append', '--at', '110', text='x,k,v,s\n5,k5,1,tessera\n500,new,2,"more, text"\n')
    same(name + ': a fragment of tessera', uri)
    with tiledb.open(uri, 'd', ctx=ctx, timestamp=120) as array:
        array.query(cond='x < 12 and v > 50').submit()
    same(name + ': a delete of the engine', uri)
    tessera('delete', uri, '--where', 'x in [41, 42, 500]', '--at', '130')
    same(name + ': a delete of tessera', uri)
    for timestamp in (100, 101, 102, 110, 125):
        same('%s: at %d' % (name, timestamp), uri, timestamp)
    before = engine_rows(uri)
    tessera('consolidate', uri, '--mode', 'fragments')
    check(name + ': tessera consolidates', engine_rows(uri) == before)
    tessera('vacuum', uri, '--mode', 'fragments', '--age', '0s')
    check(name + ': tessera vacuums', engine_rows(uri) == before)
    same(name + ': after vacuum', uri)
    write_sparse(uri, 60, 140)
    tessera('import', '-', uri, '--append', '--at', '150', text='x,k,v,s\n900,z,9,last\n')
    before = rows(uri)
    tiledb.consolidate(uri, ctx=tiledb.Ctx({**config, 'sm.consolidation.mode': 'fragments'}))
    check(name + ': the engine consolidates', rows(uri) == before)
    tiledb.vacuum(uri, ctx=tiledb.Ctx({**config, 'sm.vacuum.mode': 'fragments'}))
    check(name + ': the engine vacuums', rows(uri) == before)
    for mode in ('fragment_meta', 'array_meta'):
        tessera('consolidate', uri, '--mode', mode)
        tessera('vacuum', uri, '--mode', mode, '--age', '0s')
        same('%s: %s' % (name, mode), uri)
    check(name + ': verify', tessera('verify', uri, '--json') is not None)


def dense():
    uri = root + '/dense'
    domain = tiledb.Domain(
        *[tiledb.Dim(name, domain=(0, 99), tile=10, dtype=np.int32, ctx=ctx) for name in ('y', 'x')], ctx=ctx)
    attrs = [tiledb.Attr('v', dtype=np.float64, ctx=ctx), tiledb.Attr('n', dtype=np.int32, ctx=ctx)]
    tiledb.Array.create(uri, tiledb.ArraySchema(domain, attrs=attrs, ctx=ctx), ctx=ctx)
    for i in range(3):
        with tiledb.open(uri, 'w', ctx=ctx, timestamp=100 + i) as array:
            cells = np.arange(400).reshape(20, 20) + 1000 * i
            array[i * 5:i * 5 + 20, 3:23] = {'v': cells.astype(np.float64) / 4, 'n': cells.astype(np.int32)}
    same('dense: fragments of the engine', uri)
    for timestamp in (100, 101):
        same('dense: at %d' % timestamp, uri, timestamp)
    copied = root + '/dense-copy'
    tessera('copy', uri, copied)
    same('dense: a copy', copied)
    check('dense: the copy is equal', engine_rows(copied) == engine_rows(uri))
    before = engine_rows(uri)
    tessera('consolidate', uri)
    tessera('vacuum', uri, '--age', '0s')
    check('dense: consolidated', engine_rows(uri) == before)
    same('dense: after vacuum', uri)
    tessera('tidy', uri, '--age', '0s')
    same('dense: after tidy', uri)
    with tiledb.open(uri, 'w', ctx=ctx) as array:
        array.meta['by the engine'] = 'text'
        array.meta['numbers'] = (1, 2, 3)
    tessera('meta', 'put', uri, 'by-tessera', '5')
    with tiledb.open(uri, ctx=ctx) as array:
        meta = {key: value for key, value in array.meta.items()}
    check('dense: metadata', set(meta) == {'by the engine', 'numbers', 'by-tessera'}, str(meta))
    listed = tessera('meta', uri)
    check('dense: metadata of tessera', all(key in listed for key in meta), listed)


def groups():
    uri = root + '/group'
    tiledb.group_create(uri, ctx=ctx)
    with tiledb.Group(uri, 'w', ctx=ctx) as group:
        group.add(root + '/dense', name='by engine')
    tessera('group', 'add', uri, root + '/dense-copy', '--name', 'by tessera')
    with tiledb.Group(uri, ctx=ctx) as group:
        names = sorted(member.name for member in group)
    check('groups: members', names == ['by engine', 'by tessera'], str(names))
    listed = tessera('ls', uri)
    check('groups: listing', all(name in listed for name in names), listed)


def objects():
    uri, moved = root + '/made by the engine', root + '/moved/place'
    create_sparse(uri)
    for i in range(3):
        write_sparse(uri, 10 * i, 100 + i)
    before = [engine_rows(uri, timestamp) for timestamp in (None, 100, 101)]
    tessera('mv', uri, moved)
    check('objects: moved', [engine_rows(moved, timestamp) for timestamp in (None, 100, 101)] == before)
    check('objects: nothing at the source', tiledb.object_type(uri, ctx=ctx) is None)
    write_sparse(moved, 300, 200)
    same('objects: after a write', moved)
    tessera('rm', moved)
    check('objects: removed', tiledb.object_type(moved, ctx=ctx) is None)
    tiledb.group_create(root + '/tree', ctx=ctx)
    create_sparse(root + '/tree/empty')
    with tiledb.Group(root + '/tree', 'w', ctx=ctx) as group:
        group.add(root + '/tree/empty', name='array')
    tessera('mv', root + '/tree', root + '/moved tree')
    with tiledb.Group(root + '/moved tree', ctx=ctx) as group:
        members = [member.uri for member in group]
    check('objects: members move along', len(members) == 1 and members[0].endswith('/moved tree/empty'), str(members))
    write_sparse(root + '/moved tree/empty', 0, 10)
    same('objects: an empty array that was moved', root + '/moved tree/empty')
    tessera('rm', root + '/moved tree')
    check('objects: a removed group', tiledb.object_type(root + '/moved tree', ctx=ctx) is None)


def repair():
    uri = root + '/repair'
    create_sparse(uri)
    for i in range(2):
        write_sparse(uri, 10 * i, 100 + i)
    before = engine_rows(uri)
    vfs = tiledb.VFS(ctx=ctx)
    left = uri + '/__fragments/__99_99_0123456789abcdef0123456789abcdef_22'
    vfs.create_dir(left)
    with vfs.open(left + '/a0.tdb', 'wb') as file:
        file.write(b'left by a killed write')
    tessera('repair', uri)
    check('repair: a plan changes nothing', vfs.is_file(left + '/a0.tdb'))
    tessera('repair', uri, '--apply', '--age', '0s')
    check('repair: moved', not vfs.is_file(left + '/a0.tdb') and engine_rows(uri) == before)
    write_sparse(uri, 50, 200)
    tiledb.consolidate(uri, ctx=ctx)
    tiledb.vacuum(uri, ctx=ctx)
    same('repair: the engine consolidates and ignores the quarantine folder', uri)


def encrypted(key_file):
    uri = root + '/encrypted'
    tessera('copy', root + '/dense', uri, '--to-key-file', key_file)
    with open(key_file) as file:
        key = file.read().strip()
    check('encrypted', engine_rows(uri, key=key) == rows(uri, '--key-file', key_file))


def encrypted_copy():
    with tempfile.NamedTemporaryFile('w', suffix='.key') as file:
        file.write('0123456789abcdeF0123456789abcdeF')
        file.flush()
        encrypted(file.name)


steps = [
    ('sparse', lambda: sparse('sparse', False)),
    ('duplicates', lambda: sparse('duplicates', True)),
    ('dense', dense),
    ('groups', groups),
    ('encrypted', encrypted_copy),
    ('objects', objects),
    ('repair', repair),
]
for name, step in steps:
    try:
        step()
    except Exception as error:  # a failed step does not end the others
        check(name, False, repr(error))
print('%d passed, %d failed' % (passed, failed))
sys.exit(1 if failed else 0)
