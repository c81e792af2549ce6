"""The README as PyPI shows it: on its page a link or a picture that names a file would lead nowhere.

In the repository they stay as they are, so that they work in a clone, in a fork and at every commit.
"""

import re
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10 and older get as far as pip's own sentence: requires a different Python
    import tomli as tomllib  # which hatchling brings there

from hatchling.metadata.plugin.interface import MetadataHookInterface

IMAGE = r'!\[([^\]]*)\]\((?!https://)([^)]+)\)'
TAG = r'<img src="(?!https://)([^"]+)"([^>]*) alt="([^"]*)">'
LEFT_OUT = r'<!--.*?-->\n?|</?picture>|<source [^>]*>'  # notes for scripts and tests; a picture's form for a phone
LINK = r'(?<!!)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\((?!https://)([^)]+)\)'


def whole(readme: str, repository: str, tag: str) -> str:
    """The text with whole addresses; of a project that has no address yet, the words of its links and pictures."""
    readme = re.sub(LEFT_OUT, '', readme)
    if not repository:
        return re.sub(LINK, r'\1', re.sub(TAG, r'\3', re.sub(IMAGE, r'\1', readme)))
    raw, page = f'https://raw.githubusercontent.com/{repository}/{tag}', f'https://github.com/{repository}/blob/{tag}'
    readme = re.sub(IMAGE, rf'![\1]({raw}/\2)', readme)
    return re.sub(LINK, rf'[\1]({page}/\2)', re.sub(TAG, rf'<img src="{raw}/\1"\2 alt="\3">', readme))


class ReadmeHook(MetadataHookInterface):
    """What hatchling asks for the fields that pyproject.toml calls dynamic."""

    def update(self, metadata: dict) -> None:
        """Set the readme."""
        root = Path(self.root)
        place = tomllib.loads((root / 'pyproject.toml').read_text(encoding='utf-8'))['tool']['minicell']
        text = whole((root / 'README.md').read_text(encoding='utf-8'), place['repository'], place['tag'])
        metadata['readme'] = {'content-type': 'text/markdown', 'text': text}
