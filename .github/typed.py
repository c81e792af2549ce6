"""Of how many public names pyright knows the type: `python .github/typed.py FILE`, what `pyright --verifytypes` wrote.

Public is what the stubs offer: a module that has one, its names, and the members of its classes. pyright itself counts
all that has no underscore, in the view and the lessons too, which nobody imports from. Fails below 95 of 100.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEAST = 0.95
MODULES = {'.'.join(path.relative_to(ROOT).with_suffix('').parts) for path in ROOT.glob('minicell/**/*.pyi')}
MODULES = {module.removesuffix('.__init__') for module in MODULES} | {'minicell.errors'}


def is_public(name: str) -> bool:
    """Whether a name is one of those."""
    parts = name.split('.')
    homes = ['.'.join(parts[:k]) for k in range(1, len(parts))]
    home = max((each for each in homes if each in MODULES), key=len, default='')
    within = parts[home.count('.') + 1 :] if home else []
    return bool(within) and (len(within) == 1 or within[0][0].isupper())  # (a module below it is none of its names)


def main(path: str) -> str | None:
    """Print the share, and what is not known."""
    found = json.loads(Path(path).read_text(encoding='utf-8'))['typeCompleteness']['symbols']
    public = [each for each in found if each['isExported'] and is_public(each['name'])]
    known = [each for each in public if each['isTypeKnown']]
    print(*(each['name'] for each in public if not each['isTypeKnown']), sep='\n')
    share = len(known) / len(public)
    print(f'{len(known)} of {len(public)} public names have a type that is known: {share:.1%}')
    return None if share >= LEAST else f'at least {LEAST:.0%} are due'


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
