"""Where a site is laid: as a whole at the end, over nothing but what an earlier one left."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..lessons import Trouble

LIST = 'minicell-site.txt'  # of the files that are ours to replace
FIRST = 'index.html'


@contextmanager
def building(folder: Path) -> Iterator[Path]:
    """A place to build in. What is there at the end takes the place of the earlier site in `folder`; all else stays.

    Whatever ends the building before, Ctrl-C or a full disk, leaves the earlier site as it is. Raises Trouble where a
    page would take the place of a file that no earlier site has left there.
    """
    there = folder / LIST
    ours = set(there.read_text('utf-8', 'replace').splitlines()) if there.is_file() else set()
    refuse_foreign(folder, {FIRST} - ours)  # before anybody has waited
    folder.mkdir(parents=True, exist_ok=True)
    # within the folder: on the same disk, and where the site can be written at all
    with tempfile.TemporaryDirectory(prefix='.minicell-', dir=folder) as place:
        built, old = Path(place, 'new'), Path(place, 'old')
        built.mkdir()
        yield built
        new = {path.relative_to(built).as_posix() for path in built.rglob('*') if path.is_file()} | {LIST}
        refuse_foreign(folder, new - ours - {LIST})
        (built / LIST).write_text('\n'.join(sorted(new)), encoding='utf-8')
        try:
            for name in sorted(ours | new):
                move(folder / name, old / name)
                move(built / name, folder / name)
        except BaseException:  # Ctrl-C comes at any time
            for name in new:
                move(folder / name, built / name)
            for name in ours:
                move(old / name, folder / name)
            raise


def move(here: Path, there: Path) -> None:
    """Move a file, if it is here and nothing is there."""
    if here.is_file() and not there.exists():
        there.parent.mkdir(parents=True, exist_ok=True)
        here.rename(there)


def refuse_foreign(folder: Path, names: set[str]) -> None:
    """Raise Trouble where one of these is there already."""
    for name in sorted(names):
        if (folder / name).exists():
            raise Trouble(f'{folder / name} is not of a site that minicell wrote. Choose an empty folder.')
