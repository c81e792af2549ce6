"""The `minicell` command: JupyterLab on the lessons, a copy of them, a look at the installation."""

import argparse
import os
import platform
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from minicell import __version__
from minicell.command import home, lab
from minicell.command.lessons import COPY, Trouble, copy_lessons

DESCRIPTION = f"""\
Open the lessons in JupyterLab: on this machine only, with a token.

They are a copy in the current folder, {COPY}: what you write there
stays, and a clone of the repository stays as it is."""

EPILOG = """\
examples:
  minicell                       open the lessons in your browser
  minicell --no-browser          print their address instead
  minicell --port 9000           at a port of your choice
  minicell -- --log-level=WARN   pass what follows the -- to `jupyter lab`
  minicell copy my-course        the lessons in a folder of yours
  minicell check                 is everything there that they need?
  minicell results               how far you have come
  minicell results class         how far a class has come: its files
  minicell site public           the course as pages, every tape steps
  minicell site --python public  and Python beside it, for whoever types

Stop JupyterLab with Ctrl-C. `minicell copy --help` says more of copy."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, 'reconfigure'):  # a terminal that has no ✓ shows another sign
            stream.reconfigure(errors='replace')
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    end = arguments.index('--') if '--' in arguments else len(arguments)
    asked = parser()
    options, extra = asked.parse_args(arguments[:end]), arguments[end + 1 :]
    if extra and options.run is not open_lessons:
        asked.error(f'what follows the -- is for JupyterLab, which this does not open: {" ".join(extra)}')
    try:
        if options.run in (open_lessons, check, site) and (told := home.settle()):  # they start Jupyter's kernels
            print(told)
        status = options.run(options, extra)
        print(end='', flush=True)  # (whoever closed the output has no stream to flush)
    except Trouble as trouble:
        print(f'minicell: {trouble}', file=sys.stderr)
        return 1
    except ModuleNotFoundError as missing:
        print(f'minicell: {missing.name} is not installed. `minicell check` says what is due.', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nminicell: stopped', file=sys.stderr)
        return 130
    except OSError as error:
        if not error.filename:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would try again when it ends
        what = f'{error.filename} cannot be used' if error.filename else 'what is printed cannot be written'
        print(f'minicell: {what}: {error.strerror}', file=sys.stderr)
        return 1
    return status


def open_lessons(options: argparse.Namespace, extra: Sequence[str]) -> int:
    """JupyterLab on the lessons, until the learner stops it."""
    if options.port:
        lab.check_free(options.port)
    copied = copy_lessons(Path(COPY))
    lessons = Path(COPY).absolute()
    print(f'The lessons are in {lessons}', flush=True)
    say_older(copied.older)
    lab.open_lab(lab.lab_arguments(lessons, options, extra))
    return 0


def copy(options: argparse.Namespace, extra: Sequence[str]) -> int:
    """The lessons in a folder of the learner's."""
    new, kept, older = copy_lessons(options.folder, options.teacher)
    stay = f'; already there, and left as they are: {kept}' if kept else ''
    print(f'Files copied to {options.folder}: {new}{stay}')
    say_older(older)
    return 0


def say_older(lessons: list[str]) -> None:
    """Tell a learner whose copies are of an earlier version how to get the new ones."""
    if lessons:
        these = f'{len(lessons)} of your lessons have' if len(lessons) > 1 else 'One of your lessons has'
        print(f'{these} a newer version: {", ".join(lessons)}. To get it, rename yours and do this again.', flush=True)


def check(options: argparse.Namespace, extra: Sequence[str]) -> int:
    """What was found, a line each; status 1 if something is missing."""
    from minicell.installation import look

    print(f'minicell {__version__} on {platform.platform()}. To report a fault, paste all of this.')
    findings = look()
    for finding in findings:
        print(finding)
    missing = [finding.what for finding in findings if finding.ok is False]
    print(
        f'minicell {__version__} will not work as it is: {", ".join(missing)}'
        if missing
        else f'minicell {__version__} is ready'
    )
    return bool(missing)


def results(options: argparse.Namespace, extra: Sequence[str]) -> int:
    """How far somebody, or a class, has come."""
    from minicell.command.results import table

    print(*table(options.folder), sep='\n')
    return 0


def site(options: argparse.Namespace, extra: Sequence[str]) -> int:
    """The course as HTML pages."""
    from minicell.command.site import write

    def said(done: int, of: int, what: str) -> None:
        bar = '█' * (24 * done // of) + '░' * (24 - 24 * done // of)
        print(f'\r{bar} {done}/{of} {what:24}', end='' if done < of else '\n', file=sys.stderr, flush=True)

    # so that what was begun is taken away then, too
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        pages = write(options.folder, said, options.lite, options.python, options.address or '', options.pyodide)
    finally:
        signal.signal(signal.SIGTERM, before)
    size = sum(file.stat().st_size for file in options.folder.rglob('*') if file.is_file())
    print(f'{len(pages)} pages, {size / 1e6:.1f} MB. Open {pages[-1]}')
    return 0


def parser() -> argparse.ArgumentParser:
    """The parser of the command's own options."""
    p = argparse.ArgumentParser(
        prog='minicell',
        usage='minicell [--port N] [--no-browser] [-- OPTIONS OF JUPYTER LAB]\n'
        '       minicell {copy,check,results,site} ...',
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    p.add_argument(
        '--port', type=port_number, metavar='N', help='listen at port N (default: the first free one from 8888)'
    )
    p.add_argument('--no-browser', action='store_true', help='open no browser, print the address')
    p.add_argument('--version', action='version', version=f'minicell {__version__}')
    p.set_defaults(run=open_lessons)
    others = p.add_subparsers(title='other things to do', prog='minicell')

    say = 'Copy the lessons into a folder. A file that is there already is yours, and stays.'
    one = others.add_parser('copy', help='the lessons in a folder of yours', description=say)
    one.add_argument('folder', type=folder, help='where to; it is made if it is not there')
    one.add_argument(
        '--teacher', action='store_true', help='TEACHING.md too: a plan for each lesson, and the right answers'
    )
    one.set_defaults(run=copy)

    say = 'Write the course as pages that need no kernel: for a web server, or to open as files, without exercises.'
    one = others.add_parser('site', help='the course as pages that need no Python', description=say)
    one.add_argument('folder', type=folder, help='where to; it takes the place of the site that is there, if one is')
    one.add_argument(
        '--lite',
        action='store_true',
        help='add the lessons with Python in the browser (JupyterLite): 60 MB, for a web server. It is fetched now',
    )
    one.add_argument(
        '--python',
        action='store_true',
        help='put Python for the first page and the exercises beside it (Pyodide, 9 MB): it is fetched now. Else a '
        'reader who types fetches it, from Pyodide',
    )
    one.add_argument('--pyodide', type=folder, metavar='FOLDER', help='has Pyodide, if its server cannot be reached')
    one.add_argument(
        '--address', type=address, metavar='URL', help='where the site will stand: for search engines and link previews'
    )
    one.set_defaults(run=site)

    say = (
        'How far a class has come, as a table. A learner’s results are one file, called by the learner’s name: on the '
        'site, “Save them to a file”; of notebooks, the one that `minicell results` names.'
    )
    one = others.add_parser('results', help='how far you have come, or a class', description=say)
    one.add_argument('folder', type=folder, nargs='?', help='the files of a class; without it, your own is read')
    one.set_defaults(run=results)

    say = 'Look at versions, widgets, dot and two gradients, and start a kernel. Status 1 if something is missing.'
    one = others.add_parser('check', help='is everything there that the lessons need?', description=say)
    one.set_defaults(run=check)
    return p


def folder(text: str) -> Path:
    """The folder that was typed."""
    if not text.strip():
        raise argparse.ArgumentTypeError('a folder has a name; the current one is called .')
    return Path(text)


def address(text: str) -> str:
    """The address that a site will have."""
    if not re.fullmatch(r'https?://[\w-]+(\.[\w-]+)*(:\d{1,5})?(/[\w.~%+-]*)*', text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(f'an address is, for example, https://name.github.io/minicell, not {text!r}')
    return text


def port_number(text: str) -> int:
    """The port that a learner typed."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f'a port is a whole number from 1 to 65535, not {text!r}')
    return int(text)


if __name__ == '__main__':
    sys.exit(main())
