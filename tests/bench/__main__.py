"""How fast is minicell? `python -m tests.bench` measures it beside the same work by hand, and beside its peers."""

import argparse
import os
import platform
import sys
from datetime import date
from pathlib import Path

MORE = """\
what is measured
  Each case is the same work on the same numbers, once by hand in NumPy, in place (the limit), and once in each peer.
  A ratio of 2 means: twice the time of NumPy by hand. Lower is better. One thread, CPU time, all in turns, median.
  Results are checked first: a peer whose numbers are not those of the limit to float32 accuracy is refused, shown as
  "wrong", and the command fails. A peer that is not installed is shown as "–".

{cases}
  f   how a chain grows from 1,000 ops to 1,000,000: time and memory an op
  t   what an open Tape costs in the cases above, and what is left of it once closed and gone

examples
  python -m tests.bench                          all of it: a few minutes
  python -m tests.bench -c a b -p torch          minicell and PyTorch, on two cases
  python -m tests.bench -c t -r 5                what a Tape costs, quickly
  python -m tests.bench --markdown > tables.md   to paste
"""


def arguments(given: list[str] | None) -> argparse.Namespace:
    from tests.bench.problems import CASES
    from tests.bench.ways import PEERS

    titles = '\n'.join(f'  {case.key:3} {case.make(False).title}' for case in CASES)
    parser = argparse.ArgumentParser(
        prog='python -m tests.bench',
        description=__doc__,
        epilog=MORE.format(cases=titles),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    keys = [*[case.key for case in CASES], 'f', 't']
    others = [name for name in PEERS if name != 'minicell']
    parser.add_argument('-c', '--cases', nargs='+', choices=keys, default=keys, metavar='CASE', help='which: see below')
    parser.add_argument(
        '-p', '--peers', nargs='*', choices=others, default=others, help=f'beside minicell: {", ".join(others)}'
    )
    parser.add_argument(
        '-r', '--rounds', type=positive, default=15, help='of which each ratio is the median (%(default)s)'
    )
    parser.add_argument('--markdown', action='store_true', help='tables in Markdown')
    parser.add_argument('--tiny', action='store_true', help='small sizes: to see that it works, not to measure')
    return parser.parse_args(given)


def positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'a whole number from 1 up is due, but got {text!r}')
    return int(text)


def machine() -> str:
    """The processor's name, where the system tells it."""
    info = Path('/proc/cpuinfo')
    told = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(':')[2].strip() for line in told if line.startswith('model name')]
    return names[0] if names else platform.processor() or platform.machine()


def main(given: list[str] | None = None) -> int:
    """Print the tables; 1 if a peer was refused."""
    asked = arguments(given)

    from tests.bench import compare, table
    from tests.bench.problems import CASES
    from tests.bench.progress import Progress
    from tests.bench.ways import LIMIT, PEERS

    peers = {name: peer for name, peer in PEERS.items() if name == 'minicell' or name in asked.peers}
    here = [peer for peer in peers.values() if peer.installed]
    cases = [case for case in CASES if case.key in asked.cases]
    looked = (cases or CASES) if 't' in asked.cases else ()
    steps = asked.rounds * (len(cases) * (len(here) + 1) + len(looked) * 3)
    progress = Progress(steps + ('f' in asked.cases) * 2 * (len(here) + 1))
    draw = table.markdown if asked.markdown else table.plain

    def step(case):
        return lambda name: progress(f'{case.key} {name}')

    rows = [compare.case_row(case, peers, asked.rounds, asked.tiny, step(case)) for case in cases]
    looks = [compare.look(case, asked.rounds, asked.tiny, lambda name: progress(f't {name}')) for case in looked]
    grown, refused = (
        compare.growth(peers, asked.tiny, lambda name: progress(f'f {name}')) if 'f' in asked.cases else ([], [])
    )
    progress.close()

    today = date.today()
    versions = ', '.join(way.version for way in (LIMIT, *here))
    print(
        f'Measured on {today.day} {today:%B %Y}: {machine()}, one thread; '
        f'Python {platform.python_version()}, {versions}; median of {asked.rounds} rounds.'
    )
    if rows:
        print('\nMultiples of NumPy by hand:\n')
        print(draw(table.of_cases(rows, peers, bold=asked.markdown)))
        print(
            f'\nAll that is timed agrees with the results by hand to {max(row.off for row in rows):.0e} of the largest.'
        )
    if looks:
        print(
            '\nminicell under an open Tape, and beside a closed one that is kept, as multiples of the time without any;'
        )
        print('the megabytes that a Tape keeps, and what is left of them when it is gone:\n')
        print(draw(table.of_looks(looks)))
    if grown:
        print('\nHow a chain grows:\n')
        print(draw(table.of_growth(grown)))
    for name, peer in peers.items():
        if not peer.installed:
            print(f'\n{peer.label} is not installed: pip install {name}')
    refused += [said for row in rows for said in row.refused]
    for said in refused:
        print(said, file=sys.stderr)
    return 1 if refused else 0


if __name__ == '__main__':
    for library in ('OMP', 'OPENBLAS', 'MKL', 'VECLIB_MAXIMUM'):  # read once, when NumPy is loaded: it is not yet
        os.environ[f'{library}_NUM_THREADS'] = '1'
    sys.exit(main())
