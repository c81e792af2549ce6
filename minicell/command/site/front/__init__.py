"""The first page: five scenes around one picture, which the reader can then type into.

Each scene is a real program, run while the site is written. What it shows stands on the page three times: as a still,
for readers without JavaScript and for the first moment; as a film, which steps at once; and as the program, which
Python in the reader's browser runs again once it is edited (`program.py`).
"""

import json
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from minicell.ink import png, sheet, svg
from minicell.ink.film import Film
from minicell.ink.page import fragment
from minicell.view.picture import Picture

from .. import pyodide
from ..document import PICTURE, Page
from ..origin import Origin
from . import program
from .scenes import CHOICES, OPENS, SCENES, programs

ABOUT = (
    'Did the framework compute this gradient, or your own code? Five scenes with the real picture of a tape, and a '
    'program to edit, in your browser. Nothing to install.'
)
CARD = 1.34  # the picture that a link shows elsewhere is about 1200 pixels wide


def write(folder: Path, origin: Origin | None = None) -> Page:
    """Write what the first page needs into `folder`, and return the page.

    With a source, Pyodide is fetched from it, and stands beside the site. Raises Trouble where it cannot be.
    """
    shown = {name: picture(code) for name, code in programs().items()}
    (folder / 'front').mkdir(parents=True, exist_ok=True)
    stills = [still(folder, shown[scene.program], number) for number, scene in enumerate(SCENES)]
    card(folder / PICTURE, shown[SCENES[OPENS].program])
    if origin:
        pyodide.fetch(folder, origin)
    config = pyodide.lay(folder, bool(origin), {'program.py': source('program.py').encode()})
    films = {name: {'code': code, 'layouts': fragment.layouts(shown[name].films)} for name, code in programs().items()}
    scenes = [
        {'program': scene.program, 'since': scene.since, 'opens': scene.opens, 'choices': scene.choices}
        for scene in SCENES
    ]
    first = {name: next(iter(options)) for name, (_, options) in CHOICES.items()}
    told = {'films': films, 'scenes': scenes, 'opens': OPENS, 'first': first, 'python': config}
    data = fragment.script(told)
    parts = ['(() => {', fragment.player(), f'const told = {data};', source('front.js'), source('typing.js')]
    script = '\n'.join([*parts, '})();', ''])
    name = f'front/front-{sha256(script.encode()).hexdigest()[:8]}.js'
    for old in (folder / 'front').glob('front-*.js'):
        old.unlink()
    (folder / name).write_text(script, encoding='utf-8')
    return Page('index.html', 'Who computed this gradient?', ABOUT, body(stills, config), 'front', (name,))


def picture(code: str) -> Picture:
    """The picture of a program."""
    answer = json.loads(program.run(code))
    if answer['error'] or program.shown is None:
        raise RuntimeError(f'a program of the first page does not run: {answer}')
    made = program.shown
    made.films  # noqa: B018 drawn while its program is the last one that ran, whose lines it shows
    return made


def source(name: str) -> str:
    """A file beside this one."""
    return files(__package__).joinpath(name).read_text(encoding='utf-8')


# ---- stills --------------------------------------------------------------------------------------------------------


def place(shown: Picture, step: str | int) -> int:
    """The step of a word or a number, from 0; where a picture has no such step, its last."""
    try:
        return shown.place(step)
    except ValueError:
        return len(shown.films[0].steps) - 1


def still(folder: Path, shown: Picture, number: int) -> str:
    """A scene as a picture that needs nothing: for a screen and a phone, light and dark."""
    step = place(shown, SCENES[number].ends)
    sizes, stem = {}, f'scene-{number + 1}'
    for kind, film in zip(('wide', 'narrow'), shown.films, strict=True):
        for dark in (False, True):
            name = f'{stem}-{kind}{"-dark" * dark}'
            text = drawn(film, step, dark)
            (folder / 'front' / f'{name}.svg').write_text(text, encoding='utf-8')
            sizes[name] = text.partition('viewBox="0 0 ')[2].partition('"')[0].split()
    sources = [
        (f'{stem}-narrow-dark', '(max-width: 899px) and (prefers-color-scheme: dark)'),
        (f'{stem}-narrow', '(max-width: 899px)'),
        (f'{stem}-wide-dark', '(prefers-color-scheme: dark)'),
    ]
    others = ''.join(
        f'<source media="{media}" srcset="front/{name}.svg" width="{sizes[name][0]}" height="{sizes[name][1]}">'
        for name, media in sources
    )
    width, height = sizes[f'{stem}-wide']
    alt = escape(shown.alt(step), quote=True)
    return f'<picture>{others}<img src="front/{stem}-wide.svg" width="{width}" height="{height}" alt="{alt}"></picture>'


def drawn(film: Film, step: int, dark: bool) -> str:
    """A step of a film as SVG."""
    return svg.write(sheet.of(film, step), dark=dark)


def card(path: Path, shown: Picture) -> None:
    """What a link to the site shows elsewhere."""
    path.write_bytes(png.write(sheet.of(shown.films[0], place(shown, 'takeover')), CARD))


# ---- the page ------------------------------------------------------------------------------------------------------


def body(stills: list[str], config: dict[str, Any]) -> str:
    """What stands on the page."""
    tabs = ''.join(
        f'<li><a href="#scene={k + 1}" data-scene="{k}"><b>{k + 1}</b> <span>{scene.short}</span></a></li>'
        for k, scene in enumerate(SCENES)
    )
    scenes = ''.join(section(k, picture) for k, picture in enumerate(stills))
    return f"""
<div class="scenes">
<div class="head">
<h1>Who computed this gradient?</h1>
<p class="lede">Autodiff, or your own code? <span class="js-only">Press
<button type="button" id="go" aria-label="One step on">›</button></span></p>
<nav class="tabs" aria-label="Scenes"><ol>{tabs}
<li><a href="#type" data-scene="type"><b>✎</b> <span>Type it</span></a></li></ol></nav>
</div>
<div class="stage js-only"><div class="mc2 fresh" id="picture">{stills[OPENS]}</div></div>
<div class="words">
{scenes}
{editor(config['megabytes'], config['from'])}
<details class="tools js-only"><summary>More</summary>
<p><button type="button" id="copy">Copy a link to this step</button> <span id="copied" role="status"></span></p>
<p><a href="03_takeover.html">Lesson 03</a> has this takeover with questions and exercises.</p>
</details>
</div>
</div>
<section class="after">
<h2>And then?</h2>
<ul class="ways">
<li><a href="course.html"><b>The lessons</b></a>
<span>From the tape to a spiking network: predict, run, and be surprised.</span></li>
<li><a href="how.html"><b>How it works</b></a><span>A walk through the core: small, and only NumPy.</span></li>
<li><a href="api/index.html"><b>API</b></a><span>Every public name, with examples that run.</span></li>
</ul>
</section>
"""


def section(number: int, picture: str) -> str:
    """One scene: its words, what can be chosen in it, and its still for a page without JavaScript."""
    scene = SCENES[number]
    choices = ''.join(choice(number, name) for name in scene.choices)
    ahead = SCENES[number + 1 :]
    if ahead:
        onward = f'<a class="onward" href="#scene={number + 2}" data-scene="{number + 1}">Next: {ahead[0].title} →</a>'
    else:
        onward = '<a class="onward" href="#type" data-scene="type">Now type your own →</a>'
    if number == OPENS:
        onward += ' <a class="quiet" href="#scene=1" data-scene="0">Start from the beginning</a>'
    controls = f'<div class="choices js-only">{choices}</div>' if choices else ''
    when = ''.join(
        f'<p data-when="{name}"{" hidden" * (name != scene.program)}>{words}</p>' for name, words in scene.when.items()
    )
    return (
        f'<section class="scene" id="scene-{number + 1}" data-scene="{number}">'
        f'<h2><span>{number + 1}</span> {scene.title}</h2><p>{scene.words}</p>{controls}{when}'
        f'<p class="js-only onwards">{onward}</p>'
        f'<div class="still">{picture.replace("<img ", "<img loading=lazy ")}</div></section>'
    )


def choice(number: int, name: str) -> str:
    """A question of a scene, with one answer at a time."""
    words, options = CHOICES[name]
    radios = ''.join(
        f'<label><input type="radio" name="{name}-{number}" value="{value}" data-choice="{name}"'
        f'{" checked" if k == 0 else ""}><span>{escape(said)}</span></label>'
        for k, (value, said) in enumerate(options.items())
    )
    return f'<fieldset><legend>{words}</legend>{radios}</fieldset>'


def editor(megabytes: float, server: str) -> str:
    """Where the reader types."""
    return f"""<section class="scene js-only" id="typing" data-scene="type">
<h2><span>✎</span> Type it</h2>
<p id="about-typing">Change anything: the picture follows. Python itself comes to your browser, from {server}, when you
first type or press Run: {megabytes:.1f} MB, once. Your program stays on your machine.</p>
<div class="editor"><pre id="gutter" aria-hidden="true"></pre><textarea id="code" aria-label="The program"
aria-describedby="about-typing" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off"
rows="22"></textarea></div>
<p class="run"><button type="button" id="run">Run</button> <button type="button" id="stop" disabled>Stop</button>
<button type="button" id="reset">Start over</button> <span id="status" role="status"></span></p>
<progress id="bar" max="1" value="0" aria-label="Python is on its way" hidden></progress>
<div id="error" role="alert" hidden></div>
<pre id="printed" tabindex="0" role="region" aria-label="Printed" hidden></pre>
</section>"""
