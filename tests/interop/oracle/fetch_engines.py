"""Engines of all ages, one of each format version: `fetch_engines.py CACHE [FORMAT…]` fetches them.

Each is the libtiledb of a TileDB-Py wheel, which pip downloads and which is unpacked to CACHE/<format>/. The last line
printed is JSON: the formats whose engines are available.
"""
import concurrent.futures
import glob
import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile

# format -> (engine, TileDB-Py, Python, ABI)
ENGINES = {
    3: ('1.6.3', '0.4.4', '3.7', 'cp37m'),
    4: ('1.7.7', '0.5.9', '3.7', 'cp37m'),
    5: ('2.0.8', '0.6.6', '3.7', 'cp37m'),
    6: ('2.1.6', '0.7.7', '3.7', 'cp37m'),
    7: ('2.2.2', '0.8.0', '3.7', 'cp37m'),
    8: ('2.2.9', '0.8.11', '3.7', 'cp37m'),
    9: ('2.3.3', '0.9.5', '3.7', 'cp37m'),
    10: ('2.5.3', '0.11.5', '3.7', 'cp37m'),
    11: ('2.7.2', '0.13.3', '3.9', 'cp39'),
    12: ('2.8.3', '0.14.5', '3.9', 'cp39'),
    13: ('2.9.5', '0.15.6', '3.9', 'cp39'),
    14: ('2.10.4', '0.16.5', '3.9', 'cp39'),
    15: ('2.11.3', '0.17.6', '3.9', 'cp39'),
    16: ('2.12.3', '0.18.3', '3.9', 'cp39'),
    17: ('2.14.0', '0.20.0', '3.9', 'cp39'),
    18: ('2.15.4', '0.21.6', '3.9', 'cp39'),
    19: ('2.16.3', '0.22.3', '3.9', 'cp39'),
    20: ('2.17.4', '0.23.4', '3.9', 'cp39'),
    21: ('2.19.2', '0.25.1', '3.9', 'cp39'),
}
PLATFORMS = ['%s_x86_64' % name for name in 'manylinux1 manylinux2010 manylinux2014 manylinux_2_17 manylinux_2_28'.split()]


def library_of(cache, format_):
    """Returns the library of a format's engine, or None if it was not fetched."""
    files = [os.path.join(base, f) for base, _, names in os.walk(os.path.join(cache, str(format_))) for f in names]
    return max((f for f in files if os.path.basename(f).startswith('libtiledb')), key=os.path.getsize, default=None)


def fetch(cache, format_):
    """Downloads an engine; concurrent runs are safe."""
    _, version, python, abi = ENGINES[format_]
    making = os.path.join(cache, '%d.%d' % (format_, os.getpid()))
    command = [sys.executable, '-m', 'pip', 'download', '-q', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:',
               '--python-version', python, '--implementation', 'cp', '--abi', abi, '-d', making]
    for name in PLATFORMS:
        command += ['--platform', name]
    try:
        pip = subprocess.run(command + ['tiledb==' + version], capture_output=True, text=True, timeout=300)
        if pip.returncode != 0:
            raise OSError(pip.stderr.strip().split('\n')[-1])
        [wheel] = glob.glob(os.path.join(making, '*.whl'))
        with zipfile.ZipFile(wheel) as z:
            for n in z.namelist():
                if '.so' in os.path.basename(n) and '.cpython-' not in os.path.basename(n):
                    z.extract(n, making)
        os.remove(wheel)
        if library_of(cache, format_) is None:        # otherwise another process was faster
            os.rename(making, os.path.join(cache, str(format_)))
    finally:
        shutil.rmtree(making, ignore_errors=True)


def failure(cache, format_):
    """Returns the reason why an engine is missing, or None."""
    try:
        if (platform.system(), platform.machine()) != ('Linux', 'x86_64'):
            return 'these engines run only on Linux on x86-64'
        if library_of(cache, format_) is None:
            fetch(cache, format_)
    except Exception as x:
        return x
    return None


def main():
    cache, *requested = sys.argv[1:]
    os.makedirs(cache, exist_ok=True)
    formats = [int(x) for x in requested] or list(ENGINES)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for format_, x in zip(formats, pool.map(lambda format_: failure(cache, format_), formats)):
            if x is not None:
                print('engine %s of format %d: %s' % (ENGINES[format_][0], format_, x))
    print(json.dumps([f for f in formats if library_of(cache, f)]))


if __name__ == '__main__':
    main()
