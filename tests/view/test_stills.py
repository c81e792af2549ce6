"""Frames as files: SVG that stands alone, PNG, GIF."""

from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from minicell.ink import gif, png, style, svg
from minicell.ink.film import Film, Step
from minicell.ink.line import Mark, step_line
from minicell.ink.page import fragment as html
from minicell.ink.shapes import Frame
from minicell.ink.sheet import EDGE, sheet
from tests.messages import draws
from tests.view.gallery import ALL, run
from tests.view.toy import films, toy

SVG = '{http://www.w3.org/2000/svg}'
HOSTILE = [
    '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onload='alert(1)", '&amp;', ']]>', '</svg>',
    '</script>', '<!--', 'a\x00b\x1b[31m', '\ud800', '\u202eabc', 'x' * 5000,
    '数据 🦊 e\u0301\u0301\u0301', '', ' ', 'url(javascript:1)', '${1}`',
]  # fmt: skip


def args(film, step):
    said = film.steps[step]
    return film.frames[step], (film.width, film.height), said.title, said.caption


def as_svg(*frame, scale=1.0, dark=False):
    """A frame as SVG."""
    return svg.write(sheet(*frame), scale, dark)


def as_png(*frame, scale=1.0, dark=False):
    """A frame as a PNG."""
    return png.write(sheet(*frame), scale, dark)


def named(name):
    """A film with this name wherever a user's name can be."""
    film, frame = Film(300, 80), Frame()
    frame.rect('a', 0, 0, 100, 40, 'card f', v=name, go=name, rc=name)
    frame.text('b', 4, 20, name, 'b', room=90)
    film.add(frame, Step(name, name, go=(name,), jump=name))
    film.links[name] = dict(l=[name], r=name)
    film.accounts[name] = dict(t=name, h=[name], rows=[[name, name]], p=name)
    film.line, _ = step_line(1, [Mark(0, name)])
    return film


@pytest.mark.parametrize('name', ALL)
def test_the_gallery_is_drawn_as_it_was(name):
    """All frames of each program, for a screen and for a phone."""
    films = run(name).show().films
    draws(*(as_svg(*args(film, step)) for film in films for step in range(len(film.frames))))


@pytest.mark.parametrize('name', HOSTILE)
def test_a_name_stays_a_text(name):
    film = named(name)
    text = as_svg(*args(film, 0))
    root = ElementTree.fromstring(text.encode())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {'svg', 'title', 'rect', 'text', 'g', 'path'}
    assert not [key for element in root.iter() for key in element.attrib if key.startswith('on') or 'href' in key]
    as_png(*args(film, 0))
    page = html.page([film], name, text)
    assert page.count('<script>') == 1 == page.count('</script>')
    assert page.count('<img') == 1 and '<!--' not in page
    page.encode()


def test_an_svg_stands_alone():
    film = toy()
    text = as_svg(*args(film, 11))
    root = ElementTree.fromstring(text)
    assert root.get('role') == 'img'
    assert root.find(f'{SVG}title').text == f'{film.steps[11].title}. {film.steps[11].caption}'
    assert 'style' not in text and 'class=' not in text and 'var(' not in text
    assert 'should be' in text and '✗ wrong' not in text, 'the frame, and no step line'
    for element in root.iter(f'{SVG}text'):
        assert float(element.get('font-size')) >= 12
        assert element.get('fill').startswith('#')
    assert root.findall(f'.//{SVG}text')[0].get('font-size') == '22'
    assert 'should be' not in as_svg(*args(film, 10))


def test_a_still_is_as_large_as_it_says_and_dark_if_asked():
    film = toy()
    one, two = (ElementTree.fromstring(as_svg(*args(film, 7), scale=scale, dark=scale == 2)) for scale in (1, 2))
    assert float(two.get('width')) == 2 * float(one.get('width')) and one.get('viewBox') == two.get('viewBox')
    assert [root.find(f'{SVG}rect').get('fill') for root in (one, two)] == [style.LIGHT['paper'], style.DARK['paper']]
    picture = Image.open(BytesIO(as_png(*args(film, 7), scale=2, dark=True)))
    assert picture.size == (round(float(two.get('width'))), round(float(two.get('height'))))
    assert picture.convert('RGB').getpixel((0, 0)) == (0x12, 0x14, 0x16)


def test_the_same_frame_gives_the_same_bytes():
    film = toy()
    assert as_svg(*args(film, 7)) == as_svg(*args(film, 7))
    assert as_png(*args(film, 7)) == as_png(*args(toy(), 7))


def at(film, step, *points, **options):
    """The colours of a PNG at these points of the frame."""
    picture = Image.open(BytesIO(as_png(*args(film, step)[:2], **options))).convert('RGB')
    return ['#' + bytes(picture.getpixel((round(x + EDGE), round(y + EDGE)))).hex() for x, y in points]


def test_the_png_has_the_svgs_colours_at_the_svgs_places():
    film = toy()
    on_the_code, on_the_arrow, in_the_bend = (30, 5), (340, 277), (583, 215)
    assert at(film, 6, on_the_code, on_the_arrow) == [style.LIGHT['panel'], style.LIGHT['paper']]
    assert at(film, 7, on_the_code, on_the_arrow, in_the_bend) == [style.LIGHT['panel'], *[style.LIGHT['bwd']] * 2]
    assert at(film, 8, on_the_arrow, in_the_bend) == [style.LIGHT['tint']] * 2


@pytest.mark.parametrize(('flags', 'place'), [('0,0,1', (85.4, 24.6)), ('0,0,0', (64.6, 45.4))])
def test_a_quarter_of_a_circle_bends_as_its_flags_say(flags, place):
    film, frame = Film(200, 200), Frame()
    frame.path('a', f'M50,10A50,50,{flags},100,60', 'fat')
    film.add(frame, Step('', ''))
    assert at(film, 0, place) == [style.LIGHT['bwd']]


def test_a_text_stands_where_its_anchor_says():
    frame = Frame()
    for y, classes in ((20, ''), (60, 'mid'), (100, 'end')):
        frame.text(classes or 'start', 150, y, 'HHHHHH', classes)
    ink = np.asarray(png.image(sheet(frame, (300, 120)))).min(axis=2) < 128
    left, middle, right = (np.flatnonzero(ink[EDGE + y - 14 : EDGE + y + 2].any(axis=0)) for y in (20, 60, 100))
    assert 148 < left[0] - EDGE < 154 and 144 < right[-1] - EDGE < 151
    assert abs((middle[0] + middle[-1]) / 2 - EDGE - 150) < 2


def test_a_png_is_small():
    frame = Frame()
    for i in range(150):
        x, y = 58 * (i % 15), 44 * (i // 15)
        frame.rect(f'r{i}', x, y, 54, 30, 'tile wrong' if i % 7 == 0 else 'card f', rx=3)
        frame.text(f't{i}', x + 4, y + 20, f'{i * 0.37:.2f}', 'mid')
    size = (900, 440)
    picture = as_png(frame, size, 'A title', 'A caption')
    assert len(picture) < 60_000


@pytest.mark.slow
def test_a_gif_has_all_steps():
    picture = Image.open(BytesIO(gif.animation(toy(), [0, 7, 11, -1])))
    assert picture.n_frames >= 3  # two equal ones may become one
    assert picture.info['loop'] == 0 and picture.width == 900 + 2 * EDGE
    times, pictures = [], []
    for i in range(picture.n_frames):
        picture.seek(i)
        times.append(picture.info['duration'])
        pictures.append(np.asarray(picture.convert('RGB')))
    words = [len(f'{toy().steps[k].title} {toy().steps[k].caption}'.split()) for k in (0, 7, 11, -1)]
    assert min(words) > 16 and sum(times) == 250 * sum(words), 'four words a second'
    assert all((a != b).any() for a, b in pairwise(pictures))
    assert tuple(pictures[0][0, 0]) == (255, 255, 255)


def test_a_step_of_a_gif_stays_as_long_as_its_words_take_to_read():
    film = toy()
    film.steps[1] = film.steps[1]._replace(title='Two words', caption='')
    assert [gif.reading(step) for step in film.steps[:2]] == [21 / 4, gif.STAY]
    picture = Image.open(BytesIO(gif.animation(film, [0, 1])))
    times = []
    for i in range(2):
        picture.seek(i)
        times.append(picture.info['duration'])
    assert times == [5250, 1000 * gif.LAST], 'the end stays, before it begins again'


def test_a_fragment_is_a_still_and_one_script():
    still = as_svg(*args(toy(), 0))
    text = html.fragment(films(), still, open=-1)
    assert text.startswith('<div class="mc2"') and '><img ' in text
    assert f'alt="{toy().steps[-1].title}. {toy().steps[-1].caption}' in text
    assert text.count('<script') == text.count('</script>') == 1 and text.endswith('</script>')
    assert '"open":11' in text and ' id=' not in text.split('<script>')[0]
    assert text.count('http') == 1 and SVG[1:-1] in text  # a name, no address
    assert len(text) < 100_000


def test_an_alt_text_can_be_given():
    assert 'alt="&lt;b&gt; &quot;c&quot;"' in html.fragment([toy()], '', alt='<b> "c"')


def test_the_script_and_the_style_are_short():
    assert len(html.player()) < 21_000 and len(html.look()) < 11_000
    assert '//' not in html.player().replace('http://', '') and '/*' not in html.look()
