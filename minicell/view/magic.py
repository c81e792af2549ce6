"""`%%tape` above a cell: the cell runs under a Tape, and the Tape is shown."""

import ast
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from ..shown import Tape
from ..story import followed
from ..story.record import Record
from .picture import ZOOMS


def number_or_word(text: str) -> int | str:
    """What `step` takes."""
    return int(text) if text.lstrip('-').isdigit() else text


@magics_class
class TapeMagics(Magics):
    """The magic of `%load_ext minicell`."""

    @magic_arguments()
    @argument('name', nargs='?', help='keep the Tape under this name')
    @argument('--zoom', choices=ZOOMS, default='ops', help='how close to look')
    @argument('--no-compare', dest='compare', action='store_false', help='without the true gradients')
    @argument('--scale', type=float, default=1.0, help='1.6 is larger, 2 is for a projector')
    @argument('--step', type=number_or_word, default=None, help='where to open: a number, takeover, compare, …')
    @cell_magic
    def tape(self, line: str, cell: str) -> Any:
        """Run the cell under a Tape, and show it; the value of the cell's last line is the cell's, as always."""
        __tracebackhide__ = True  # an error is told from the reader's own lines on
        options = vars(parse_argstring(self.tape, line))
        name = options.pop('name')
        if name is not None and not name.isidentifier():
            raise UsageError(f'%%tape takes the name to keep the Tape under, and {name!r} is no name.')
        body, last = compiled(self.shell, cell)
        value, tape = None, Tape()
        if name is not None:
            self.shell.user_ns[name] = tape
        try:
            with tape:
                exec(body, self.shell.user_ns)
                if last is not None:
                    value = eval(last, self.shell.user_ns)
        finally:
            if isinstance(tape.error, Exception):
                lost = Record()  # whatever happens here, that error is what the reader gets
                followed.follow(lost, 'this tape', lambda: display(tape.show(**{**options, 'step': None})))
                if lost.unknown:
                    print(followed.line(lost))
        try:
            display(tape.show(**options))
        except ValueError as error:  # the cell has run, and its Tape is there: show it all the same
            display(tape)
            raise UsageError(str(error)) from None
        return value


def compiled(shell: InteractiveShell, cell: str) -> tuple[Any, Any]:
    """The cell as IPython compiles it, its last expression apart (None where there is none)."""
    # with an empty line in the place of %%tape, lines are numbered as on the page
    source = '\n' + shell.transform_cell(cell)
    file = shell.compile.cache(source, shell.execution_count, raw_code=cell)
    tree = shell.transform_ast(shell.compile.ast_parse(source, file))
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = shell.compile(ast.Expression(tree.body.pop().value), file, 'eval')
    return shell.compile(tree, file, 'exec'), last


def load(shell: InteractiveShell) -> None:
    """Give a shell the magic."""
    shell.register_magics(TapeMagics)
