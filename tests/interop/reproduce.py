"""reproduce.py CODE: runs the code of a known defect. Exit code 0: the defect exists (also if the engine crashes), 1: it is fixed, 2: an error in the code."""
import os
import sys
import tempfile
import textwrap
import traceback

from oracle import record
from oracle.aggregates import aggregates
from oracle.choose import A, D
from oracle.engine import Engine, EngineError, library


def show(e, uri, layout, ranges=None, where=None, end=None):
    """Returns the columns of a read."""
    a = e.open(uri, end=end)
    try:
        condition = where and e.condition(where)
        return record.read(e, a, record.schema(e, e.new('array_get_schema', a)), layout, ranges, condition=condition)[1]
    finally:
        e.close(a)


def ask(e, uri, name, kinds, ranges=None, where=None):
    """Returns aggregates of a field."""
    a = e.open(uri)
    try:
        sch = record.schema(e, e.new('array_get_schema', a))
        field = next(f for f in sch['attributes'] + sch['dimensions'] if f['name'] == name)
        return aggregates(e, a, sch, field, kinds, ranges, where and e.condition(where))
    finally:
        e.close(a)


def main():
    names = {'A': A, 'D': D, 'show': show, 'ask': ask, 'EngineError': EngineError}
    exec('def defect(e, u):\n' + textwrap.indent(sys.argv[1].strip(), '    '), names)
    with tempfile.TemporaryDirectory() as folder:
        pid = os.fork()
        if pid == 0:
            try:
                os._exit(0 if names['defect'](Engine(library()), os.path.join(folder, 'array')) else 1)
            except BaseException:
                traceback.print_exc()
                os._exit(2)
        _, status = os.waitpid(pid, 0)
    sys.exit(0 if status & 127 else status >> 8)


if __name__ == '__main__':
    main()
