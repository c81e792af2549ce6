"""Moves Python in the browser to another version of Pyodide, or says that what stands here is what its makers publish.

    python .github/pyodide.py VERSION [FOLDER]

It fetches the package by npm, compares its integrity with what the registry says, and writes minicell/command/site/
pyodide.json: nothing else has the version. NumPy's wheel has to be there for it, on Pyodide's server or in FOLDER.
JupyterLite's kernel in tools.txt must be one for that version; and a wheel that carries copies is known for none but
today's.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from minicell.command.lessons import Trouble  # noqa: E402
from minicell.command.site import lite, origin  # noqa: E402
from minicell.command.site.pyodide import File  # noqa: E402

HERE = ROOT / 'minicell/command/site/pyodide.json'
SHRINK = 'pyodide.js', 'pyodide.mjs', 'pyodide.asm.js', 'pyodide.asm.wasm'
NAMES = *SHRINK, 'python_stdlib.zip', origin.LIST


def published(version: str, folder: Path | None = None) -> dict[str, Any]:
    """What pyodide.json says of a version. Raises Trouble where it cannot be had, or is not what the registry says."""
    with tempfile.TemporaryDirectory() as place:
        packed = origin.pack(version, Path(place))
        view = ['npm', 'view', f'pyodide@{version}', 'dist.integrity']
        if packed is None:
            raise Trouble(f'npm does not fetch pyodide@{version}.')
        due = subprocess.run(view, capture_output=True, text=True, check=True).stdout.strip()
        if origin.integrity(packed) != due:
            raise Trouble(f'the package of pyodide@{version} is not the one of the registry.')
        data = {name: origin.inside(packed, name) for name in NAMES}
        listed = json.loads(data[origin.LIST])
        numpy = listed['packages']['numpy']
        made = {
            'version': version,
            'integrity': due,
            'carrier': origin.PINS['carrier'] if version == origin.PINS['version'] else '',
            'info': listed['info'],
            'numpy': numpy,
            'files': {name: File.of(data[name], name in SHRINK)._asdict() for name in NAMES},
        }
        carrier = lite.Workshop(Path(place, 'workshop')).carrier
        wheel = origin.Origin(Path(place), folder, carrier, made).wheel(numpy['file_name'], numpy['sha256'])
        made['files'][numpy['file_name']] = File.of(wheel)._asdict()
        return made


def main(version: str, folder: str = '') -> str:
    """Write it."""
    try:
        made = published(version, Path(folder) if folder else None)
    except Trouble as trouble:
        return str(trouble)
    HERE.write_text(json.dumps(made, indent=1) + '\n', encoding='utf-8')
    return ''


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
