"""The player in Chromium, on a film drawn for the test: keys, buttons, dots, dragging, motion, touch, accounts."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.play import HEAR, KEYS, check_drawn, go, now, number, slider
from tests.messages import tells
from tests.view.toy import toy

pytestmark = pytest.mark.browser

AT_REST = "() => ![...document.querySelectorAll('.box > svg > [style]')].some(one => one.style.cssText)"


def test_the_picture_is_at_each_step_what_python_drew(visit):
    tab = visit()
    slider(tab).focus()
    check_drawn(tab)
    walk = [('ArrowRight', step) for step in range(1, 12)] + [('ArrowLeft', step) for step in (10, 9, 8, 7)]
    walk += [
        ('ArrowUp', 6),
        ('ArrowDown', 7),
        ('Home', 0),
        ('End', 11),
        ('ArrowRight', 11),
        ('Home', 0),
        ('ArrowLeft', 0),
    ]
    for key, step in walk:
        tab.keyboard.press(key)
        assert now(tab) == step, key
        check_drawn(tab)


def test_buttons(visit):
    tab = visit()
    back, forth = tab.get_by_role('button', name='Back', exact=True), tab.get_by_role('button', name='Next')
    expect(back).to_be_disabled()
    forth.click()
    forth.click()
    back.click()
    assert now(tab) == 1
    tab.get_by_role('button', name='Compare').click()
    assert now(tab) == 11
    expect(forth).to_be_disabled()
    assert tab.locator('[aria-current=step]').all_text_contents() == ['Compare']
    title, caption = toy().steps[11][:2]
    assert tab.locator('.title').first.text_content() == title
    assert tab.locator('.live').text_content() == f'Step 12 of 12. {title}. {caption}'
    assert slider(tab).get_attribute('aria-valuetext') == f'Step 12 of 12: {title}'


def test_a_button_that_can_do_no_more_hands_the_keys_to_the_line(visit):
    tab = visit()
    go(tab, 10)
    tab.get_by_role('button', name='Next').focus()
    tab.keyboard.press('Enter')
    assert now(tab) == 11
    expect(slider(tab)).to_be_focused()


def test_play_goes_on_by_itself_and_ends_at_the_end(visit):
    tab = visit()
    go(tab, 10)
    tab.keyboard.press(' ')
    expect(tab.get_by_role('button', name='Pause')).to_be_visible()
    expect(slider(tab)).to_have_attribute('aria-valuenow', '12')
    tab.get_by_role('button', name='Play').click()  # at the end it begins again
    expect(slider(tab)).to_have_attribute('aria-valuenow', '1')
    tab.get_by_role('button', name='Pause').click()


def test_dots_and_dragging(visit):
    tab = visit()
    box, film = slider(tab).bounding_box(), toy()
    at = [
        (box['x'] + x / film.line['w'] * box['width'], box['y'] + y / film.line['h'] * box['height'])
        for x, y in (step.at for step in film.steps)
    ]
    assert tab.locator('.dot:not(.cur)').count() == 12
    for step in (4, 11, 0, 7, 3):
        tab.mouse.click(*at[step])
        assert now(tab) == step
    tab.mouse.move(*at[0])
    tab.mouse.down()
    seen = []
    for step in (1, 2, 3):
        tab.mouse.move(*at[step], steps=4)
        seen.append(now(tab))
    tab.mouse.move(at[11][0], at[11][1], steps=12)
    seen.append(now(tab))
    tab.mouse.up()
    tab.mouse.move(*at[5])
    assert (seen, now(tab)) == ([1, 2, 3, 11], 11)


def test_a_line_of_code_and_a_card_lead_to_their_next_step(visit):
    tab = visit()
    row = tab.locator('[go="line 6"]')
    row.click()
    assert now(tab) == 3
    row.click()
    assert now(tab) == 5
    tab.locator('rect[go=net]').click(position={'x': 5, 'y': 5})
    assert now(tab) == 0  # no later step tells of it: the first
    tab.locator('rect[go=net]').click(position={'x': 5, 'y': 5})
    assert now(tab) == 2
    # each that looks as if it could be pressed can be
    goes = tab.locator('[go]').evaluate_all('all => all.map(one => one.getAttribute("go"))')
    assert set(goes) <= {go for step in toy().steps for go in step.go} and 'line 4' not in goes


def test_motion_comes_to_rest_as_it_was_drawn(visit):
    tab = visit(moving=True)
    go(tab, 6)
    tab.keyboard.press('ArrowRight')
    fat = tab.locator('.fat')
    expect(fat).to_have_attribute('pathLength', '1')  # it draws itself
    assert tab.locator('.title').first.text_content().startswith('Takeover')  # words do not wait
    expect(fat).not_to_have_attribute('pathLength', '1')
    tab.wait_for_function(AT_REST)
    check_drawn(tab)


def test_a_key_in_the_middle_of_a_motion_leaves_nothing_behind(visit):
    tab = visit(moving=True)
    slider(tab).focus()
    for key in ['ArrowRight'] * 11 + ['ArrowLeft'] * 5 + ['ArrowRight'] * 3 + ['Home', 'End']:
        tab.keyboard.press(key)
    tab.keyboard.press('ArrowLeft')
    tab.wait_for_function(AT_REST)
    tab.wait_for_timeout(50)
    check_drawn(tab)


def test_reduced_motion_has_none(visit):
    tab = visit()
    go(tab, 6)
    tab.evaluate("""() => {
      window.moved = [];
      const watch = new MutationObserver(all => window.moved.push(...all.map(one => one.attributeName)));
      watch.observe(document.querySelector('.box svg'), {subtree: true, attributeFilter: ['style', 'pathLength']});
    }""")
    tab.keyboard.press('ArrowRight')
    check_drawn(tab)
    tab.wait_for_timeout(400)
    assert tab.evaluate('window.moved') == []


def lit(tab: Page) -> list[str]:
    return sorted(tab.locator('[lit]').evaluate_all('all => all.map(one => one.getAttribute("v"))'))


def test_a_number_lights_its_partners_and_is_read_out_in_the_captions_place(visit):
    tab = visit()
    go(tab, 11)
    head, caption = tab.locator('.head'), tab.locator('.says p').first
    before = head.bounding_box(), tab.locator('.box').bounding_box()
    number(tab, 'dx[0,2]').hover()
    assert lit(tab) == ['dx[0,2]', 'true[0,2]', 'x + 1', 'x[0,2]']
    expect(tab.locator('.readout')).to_have_text('dx[0,2] = x[0,2] + 1 = 0.4 + 1 = 1.40   line 16:9–14, yours')
    expect(caption).to_be_hidden()
    assert (head.bounding_box(), tab.locator('.box').bounding_box()) == before
    tab.locator('[v="x + 1"]').hover()
    assert len(lit(tab)) == 7
    tab.mouse.move(5, 5)
    assert lit(tab) == []
    expect(caption).to_be_visible()


def test_an_account_opens_beside_its_number_and_closes_again(visit):
    tab = visit()
    go(tab, 11)
    one, dialog = number(tab, 'dx[0,2]'), tab.get_by_role('dialog', name='How your dx[0,2] = 1.40 was made')
    one.click()
    expect(dialog).to_be_visible()
    rows = dialog.locator('tr').all_text_contents()
    assert rows[0] == 'wholineslope× dout= parttotal'
    tells(rows[-1], 'yours', 'off by', '5.20')
    a, b = one.bounding_box(), dialog.bounding_box()
    apart = b['y'] + b['height'] <= a['y'] or a['y'] + a['height'] <= b['y'] or b['x'] + b['width'] <= a['x']
    assert apart or a['x'] + a['width'] <= b['x']
    expect(tab.get_by_role('button', name='Close')).to_be_focused()
    tab.keyboard.press('ArrowRight')
    assert now(tab) == 11  # in a dialog, arrows do not step
    tab.keyboard.press('Escape')
    expect(dialog).to_have_count(0)
    expect(one).to_be_focused()
    tab.keyboard.press('Enter')
    expect(dialog).to_be_visible()
    tab.get_by_role('button', name='Close').click()
    expect(one).to_be_focused()
    one.click()
    tab.locator('.head').click()
    expect(dialog).to_have_count(0)


def test_numbers_are_one_tab_stop_and_arrows_lead_through_them(visit):
    tab = visit()
    go(tab, 11)
    assert tab.locator('[rc][tabindex="0"]').count() == 1
    assert tab.locator('[rc][role=button]').count() == 6
    tab.keyboard.press('Shift+Tab')
    for _ in range(3):
        tab.keyboard.press('Shift+Tab')
    number(tab, 'dx[0,0]').focus()
    expect(number(tab, 'dx[0,0]')).to_have_attribute(
        'aria-label', 'dx[0,0] = x[0,0] + 1 = 0.5 + 1 = 1.50   line 16:9–14, yours'
    )
    for key, value in {'ArrowRight': '0,1', 'ArrowDown': '1,1', 'ArrowLeft': '1,0', 'ArrowUp': '0,0'}.items():
        tab.keyboard.press(key)
        expect(number(tab, f'dx[{value}]')).to_be_focused()
        assert f'dx[{value}]' in lit(tab)
    tab.keyboard.press('ArrowUp')  # there is none above
    expect(number(tab, 'dx[0,0]')).to_be_focused()
    assert now(tab) == 11


def test_where_there_is_no_account_a_text_says_so(visit):
    tab = visit()
    go(tab, 11)
    number(tab, 'dx[1,2]').focus()
    tab.keyboard.press('Enter')
    expect(tab.locator('.live')).to_have_text("press tape.why('dx[1,2]')")
    expect(tab.locator('.readout')).to_have_text("press tape.why('dx[1,2]')")
    expect(tab.get_by_role('dialog')).to_have_count(0)


def test_the_focus_is_not_lost_with_a_number_that_goes(visit):
    for moving in (False, True):
        tab = visit(moving=moving)
        go(tab, 8)
        number(tab, 'dx[0,0]').focus()
        tab.get_by_role('button', name='Back', exact=True).dispatch_event('click')
        expect(slider(tab)).to_be_focused()


def test_no_key_leaks(visit):
    """In JupyterLab each key would be a command. That which saves is let through."""
    tab = visit()
    tab.evaluate(HEAR)
    go(tab, 11)
    for place in (slider(tab), number(tab, 'dx[0,0]'), tab.get_by_role('button', name='Play'), tab.locator('summary')):
        place.focus()
        for key in KEYS:
            tab.keyboard.press(key)
        go(tab, 11)
    assert tab.evaluate('window.heard') == []
    for key in ('Control+Enter', 'Alt+Enter', 'Control+a', 'Control+s', 'Meta+s'):
        tab.keyboard.press(key)
    assert tab.evaluate('window.heard') == ['s', 's']
