"""The widget, driven as real ipywidgets: traits set, buttons clicked."""

import asyncio
import base64
import subprocess
import sys

import gallery
import pytest

from minicell import view

w = pytest.importorskip('ipywidgets')
widget = pytest.importorskip('minicell.view.widget')


def parts(box):
    """Slider, picture, buttons by name, and Play."""
    controls, picture = box.children
    buttons = {b.description: b for b in controls.children if isinstance(b, w.Button)}
    slider = next(c for c in controls.children if isinstance(c, w.IntSlider))
    play = next(c for c in controls.children if isinstance(c, w.Play))
    return slider, picture, buttons, play


def test_frames_travel_once():
    slider, stack, _, play = parts(view.show(gallery.run('matmul')))
    assert isinstance(stack, w.Stack) and len(stack.children) == 10 == slider.max + 1 == play.max + 1
    assert all(child.value.startswith('<svg') for child in stack.children)
    assert 'lat-slider-tape' in slider._dom_classes and 'lat-target-tape' in stack._dom_classes


def test_children_share_layout_and_style():
    _, stack, _, _ = parts(view.show(gallery.run('matmul')))
    assert len({c.layout.model_id for c in stack.children}) == 1 == len({c.style.model_id for c in stack.children})


def test_slider_play_and_picture_are_joined_in_the_browser(monkeypatch):
    made = []
    monkeypatch.setattr(widget.w, 'jslink', lambda *ends: made.append(ends))
    view.show(gallery.run('fanout'))
    joined = {(type(a[0]).__name__, a[1], type(b[0]).__name__, b[1]) for a, b in made}
    assert joined == {('IntSlider', 'value', 'Stack', 'selected_index'), ('Play', 'value', 'IntSlider', 'value')}


def test_buttons_move_the_slider_and_stop_at_the_ends():
    slider, _, buttons, _ = parts(view.show(gallery.run('fanout')))
    assert list(buttons) == ['First', 'Back', 'Next', 'Last'] and all(b.tooltip for b in buttons.values())
    seen = []
    for name in ('Back', 'Next', 'Next', 'Back', 'Last', 'Next', 'First'):
        buttons[name].click()
        seen.append(slider.value)
    assert seen == [0, 1, 2, 1, 8, 8, 0]


def test_a_long_tape_is_drawn_by_the_kernel():
    slider, page, buttons, _ = parts(view.show(gallery.run('ifnode')))
    assert isinstance(page, w.HTML) and slider.max >= 60
    first = page.value
    slider.value = 30
    assert page.value != first and f'step 31 of {slider.max + 1}' in page.value
    buttons['Last'].click()
    assert f'step {slider.max + 1} of' in page.value


def test_throttle_always_draws_the_last_one():
    drawn = []

    async def drag():
        throttle = widget.Throttle(drawn.append)
        for i in range(100):
            throttle(i)
        await asyncio.sleep(3 * widget.PAUSE)

    asyncio.run(drag())
    assert drawn == [0, 99]


def test_two_views_on_a_page_share_no_id():
    import re

    one, other = (parts(view.show(gallery.run('fanout')))[1] for _ in range(2))
    ids = [set(re.findall(r'\bid="([^"]+)"', ''.join(c.value for c in s.children))) for s in (one, other)]
    assert len(ids[0]) == 18 and not ids[0] & ids[1]


def test_scale_enlarges():
    picture = parts(view.show(gallery.run('fanout'), scale=1.6))[1]
    assert 'width="2022.4"' in picture.children[0].value


def test_bundle_has_widget_stills_and_text():
    found = view.bundle(gallery.run('matmul'))
    assert set(found) == {
        'text/plain', 'image/svg+xml', 'image/png', 'application/vnd.jupyter.widget-view+json',
    }  # fmt: skip
    assert found['text/plain'] == str(gallery.run('matmul'))
    assert base64.b64decode(found['image/png']).startswith(b'\x89PNG')
    assert found['image/svg+xml'].startswith('<svg')


def test_importing_the_view_loads_no_front_end():
    code = (
        'import sys, minicell.view as v; v.frames; '
        'print(sorted({"ipywidgets", "matplotlib", "IPython", "graphviz"} & set(sys.modules)))'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == '[]'


def test_a_tape_displays_itself(monkeypatch):
    published = []
    monkeypatch.setattr('IPython.display.display', lambda data, raw: published.append((data, raw)))
    gallery.run('matmul')._ipython_display_()
    ((data, raw),) = published
    assert raw and 'application/vnd.jupyter.widget-view+json' in data and 'image/png' in data
