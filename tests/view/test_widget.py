"""The widget, driven as real ipywidgets: traits set, buttons clicked."""

import asyncio
import base64
import subprocess
import sys

import gallery
import pytest

import minicell as ms
from minicell import view

w = pytest.importorskip('ipywidgets')
widget = pytest.importorskip('minicell.view.widget')


def parts(shown):
    """Slider, picture, buttons by name, and the clock that Play starts."""
    c = shown.controls
    buttons = [c.first, c.back, c.next, c.last, *c.jumps.children[1:]]
    return c.slider, shown.children[-1], {b.description: b for b in buttons}, c.clock


def test_frames_travel_once():
    slider, stack, _, play = parts(view.show(gallery.run('matmul')))
    assert isinstance(stack, w.Stack) and len(stack.children) == slider.max + 1 == play.max + 1 > 5
    assert all(child.value.startswith('<svg') for child in stack.children)
    assert 'lat-slider-tape' in slider._dom_classes and 'lat-target-tape' in stack._dom_classes


def test_children_share_layout_and_style():
    _, stack, _, _ = parts(view.show(gallery.run('matmul')))
    assert len({c.layout.model_id for c in stack.children}) == 1 == len({c.style.model_id for c in stack.children})


def test_slider_play_and_picture_are_joined_in_the_browser(monkeypatch):
    made = []
    monkeypatch.setattr(w, 'jslink', lambda *ends: made.append(ends))
    view.show(gallery.run('fanout'))
    joined = {(type(a[0]).__name__, a[1], type(b[0]).__name__, b[1]) for a, b in made}
    assert joined == {
        ('IntSlider', 'value', 'Stack', 'selected_index'),
        ('Play', 'value', 'IntSlider', 'value'),
        ('ToggleButton', 'value', 'Play', 'playing'),
    }


def test_controls_stand_in_reading_order_with_words_and_tooltips():
    shown = view.show(gallery.run('fanout'))

    def leaves(widget):
        return [leaf for c in widget.children for leaf in leaves(c)] if hasattr(widget, 'children') else [widget]

    order = [leaf for row in shown.children[:2] for leaf in leaves(row) if leaf.layout.display != 'none']
    words = [leaf.description or getattr(leaf, 'value', '') for leaf in order]
    assert words == ['First', 'Back', 'Play', 'Next', 'Last', 'Step', 'Zoom', 'ops', 'Compare',
                     'Jump to', 'Takeover', 'Largest', 'NaN', 'Wrong', 'Reset']  # fmt: skip
    assert all(leaf.tooltip for leaf in order if isinstance(leaf, w.Button | w.ToggleButton | w.IntSlider))
    assert len(shown.controls.zoom.tooltips) == 3


def test_buttons_move_the_slider_and_stop_at_the_ends():
    slider, _, buttons, _ = parts(view.show(gallery.run('fanout')))
    seen = []
    for name in ('Back', 'Next', 'Next', 'Back', 'Last', 'Next', 'First'):
        buttons[name].click()
        seen.append(slider.value)
    assert seen == [0, 1, 2, 1, slider.max, slider.max, 0]


def test_play_says_how_to_stop():
    controls = view.show(gallery.run('fanout')).controls
    controls.play.value = True
    assert controls.play.description == 'Pause'
    controls.play.value = False
    assert controls.play.description == 'Play'


@pytest.mark.parametrize('program', ['relu6', 'ifnode'])
def test_zoom_and_comparison_stay_at_the_same_time_of_the_tape(program):
    shown = view.show(gallery.run(program))
    c = shown.controls
    c.slider.value = c.slider.max // 2
    at = shown.frames[c.slider.value].at
    for zoom in ('inside', 'cells', 'ops'):
        c.zoom.value = zoom
        assert c.slider.max == c.clock.max == len(shown.frames) - 1
        assert shown.frames[c.slider.value].at <= at
        assert {f.look.zoom for f in shown.frames} == {zoom}
        if isinstance(shown.children[-1], w.Stack):
            assert shown.children[-1].selected_index == c.slider.value
    c.compare.value = False
    assert not shown.frames[0].look.compare


@pytest.fixture(scope='module')
def loop():
    """IFNode over 12 steps in time."""
    return gallery.tape_of(gallery.PROGRAMS['ifnode'].strip().replace('range(3)', 'range(12)') + '\n', 'ifnode 12')


def test_a_loop_has_a_slider_for_its_turns(loop):
    shown = view.show(loop, zoom='cells')
    turn, slider = shown.controls.turn, shown.controls.slider
    assert turn.layout.display is None and (turn.value, turn.max) == (1, 12)
    first = shown.page.value
    turn.value = 7
    assert shown.seen.turn == 6 and slider.value == 0 and shown.page.value != first
    turn.value = 8
    assert shown.seen.turn == 7 and slider.value == 0


def test_the_slider_for_turns_follows_the_steps(loop):
    shown = view.show(loop, zoom='cells')
    turn, slider = shown.controls.turn, shown.controls.slider
    seen = []
    for step in range(slider.max + 1):
        slider.value = step
        seen.append(turn.value)
        assert shown.seen.turn is None
    assert seen[0] == 1 and set(seen) == set(range(1, 13)), 'forward through all turns, and back again'
    turn.value = 5
    slider.value = 3
    assert shown.seen.turn is None, 'a step shows what it is about'


def test_where_nothing_is_folded_there_is_no_slider_for_turns():
    assert view.show(gallery.run('matmul')).controls.turn.layout.display == 'none'


def test_a_way_to_look_is_drawn_once():
    shown = view.show(gallery.run('matmul'))
    first = shown.children[-1]
    shown.controls.zoom.value = 'cells'
    assert shown.children[-1] is not first
    shown.controls.zoom.value = 'ops'
    assert shown.children[-1] is first


def test_jumps_go_where_they_say_and_what_is_not_there_cannot_be_pressed():
    shown = view.show(gallery.run('matmul'))
    slider, _, buttons, _ = parts(shown)
    buttons['Wrong'].click()
    assert 'hands out dx and dy' in shown.frames[slider.value].title
    buttons['Takeover'].click()
    assert 'calls your bprop' in shown.frames[slider.value].title
    assert buttons['NaN'].disabled and not buttons['Largest'].disabled
    shown.controls.compare.value = False
    assert buttons['Wrong'].disabled, 'it would tell what the reader does not want to see yet'


@pytest.mark.parametrize('program', ['matmul', 'ifnode'])
def test_reset_brings_back_what_was_shown_first(program):
    shown = view.show(gallery.run(program), zoom='inside', compare=False, step=3)
    c = shown.controls
    assert (c.zoom.value, c.compare.value, c.slider.value) == ('inside', False, 2)
    c.zoom.value, c.compare.value, c.play.value = 'cells', True, True
    parts(shown)[2]['Last'].click()
    parts(shown)[2]['Reset'].click()
    assert (c.zoom.value, c.compare.value, c.slider.value, c.play.value) == ('inside', False, 2, False)
    assert 'step 3 of' in str(getattr(shown.children[-1], 'value', '')) or shown.children[-1].selected_index == 2


@pytest.mark.parametrize(('step', 'place'), [(None, 0), (1, 0), (3, 2), (-1, -1), (-3, -3)])
def test_it_opens_at_a_step(step, place):
    slider = view.show(gallery.run('matmul'), step=step).controls.slider
    assert slider.value == place % (slider.max + 1)


def test_it_opens_at_a_takeover():
    shown = view.show(gallery.run('matmul'), step='takeover')
    assert 'calls your bprop' in shown.frames[shown.controls.slider.value].title


def test_a_torn_tape_opens_where_it_is_torn():
    slider = view.show(gallery.run('raises')).controls.slider
    assert slider.value == slider.max > 0


@pytest.mark.parametrize(
    ('options', 'kind', 'said'),
    [
        ({'zoom': 'far'}, ValueError, "zoom is one of 'cells', 'ops', 'inside', not 'far'"),
        ({'compare': 'yes'}, TypeError, 'compare is True or False'),
        ({'scale': 0}, ValueError, 'scale is a number above 0'),
        ({'scale': 'large'}, ValueError, '2 is for a projector'),
        ({'step': 0}, ValueError, 'step goes from 1 to '),
        ({'step': 99}, ValueError, 'It is not 99'),
        ({'step': 'end'}, ValueError, "'takeover', 'largest', 'nan', 'wrong'"),
    ],
)
def test_a_wrong_option_gets_a_sentence(options, kind, said):
    with pytest.raises(kind) as caught:
        gallery.run('matmul').show(**options)
    assert said in str(caught.value)


@pytest.mark.parametrize('program', ['empty', 'forward_only', 'raises'])
def test_every_tape_has_a_bundle(program):
    tape = ms.Tape() if program == 'empty' else gallery.run(program)
    assert 'image/svg+xml' in view.bundle(tape)


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
    assert len(ids[0]) >= 18 and not ids[0] & ids[1]


def test_scale_enlarges():
    picture = parts(view.show(gallery.run('fanout'), scale=1.6))[1]
    assert 'width="2022.4"' in picture.children[0].value
    assert 'max-width' not in picture.children[0].value, 'or it would shrink to the page again'


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
