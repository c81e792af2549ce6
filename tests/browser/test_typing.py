"""The first page in Chromium once its reader types: Python in the page itself, from loopback alone."""

import gzip
import re
from statistics import median

import pytest
from playwright.sync_api import expect

from minicell.command.site import pyodide
from minicell.command.site.front import program
from minicell.command.site.front.scenes import programs
from tests.browser.front import edit, new, python_asked, tape, type_in, wait_for_run

MEGABYTES = 10


@pytest.mark.browser
def test_an_edit_redraws_at_once(typing):
    """Python has started, so that an edit takes little of what the first run took."""
    code = programs()['document mean']
    times = [edit(typing, code.replace('x + 1', f'x + {k}')) for k in range(2, 14)]
    print(f'an edit redraws in {median(times) * 1000:.0f} ms, at most {max(times) * 1000:.0f}')
    assert median(times) < typing.first / 10
    assert 'dx = x + 13' in typing.locator('#picture .box').inner_text()


@pytest.mark.browser
def test_the_accounts_follow(typing):
    edit(typing, programs()['right sum'])
    typing.wait_for_selector(f'#picture[data-rest="{typing.runs}"]')
    tape(typing).press('End')
    typing.locator('#picture [rc]').first.click()
    expect(typing.locator('#picture .account')).to_be_visible()
    typing.keyboard.press('Escape')


@pytest.mark.browser
def test_an_error_is_a_sentence_at_its_line(typing):
    edit(typing, programs()['document mean'].replace('return dx, dy', 'return dx'))
    error = typing.locator('#error')
    expect(error).to_contain_text('BpropTupleError')
    expect(error).to_contain_text('Line ')
    line = int(re.search(r'Line (\d+)', error.inner_text())[1])
    expect(typing.locator('#gutter .bad')).to_have_text(f'{line}')
    edit(typing, 'import minicell as ms\nx = (1\n')
    expect(error).to_contain_text('Line 2. SyntaxError')
    edit(typing, 'import minicell as ms\nprint(6 * 7)')
    expect(error).to_be_hidden()
    expect(typing.locator('#printed')).to_have_text('42')
    expect(typing.locator('#status')).to_have_text(program.NO_TAPE)


@pytest.mark.nightly
def test_stop_ends_a_program_that_would_never_end(typing):
    type_in(typing, 'while True:\n    pass')
    expect(typing.locator('#status')).to_have_text('Running …')
    typing.locator('#stop').click()
    expect(typing.locator('#status')).to_contain_text('Stopped')
    type_in(typing, programs()['sum'])
    wait_for_run(typing, typing.runs)
    assert tape(typing).steps == 12


@pytest.mark.nightly
def test_a_link_holds_the_program_and_runs_nothing(url, typing, look):
    code = programs()['document mean'].replace('dx = x + 1', 'dx = x + 7  # “typed”')
    edit(typing, code)
    typing.wait_for_timeout(500)  # the address follows soon
    page = look(typing.url)
    assert page.locator('#code').input_value() == code
    assert 'Press Run' in page.locator('#status').inner_text()
    assert python_asked(page) == []


@pytest.mark.nightly
def test_a_file_with_another_hash_is_not_used(browser, url, folder):
    changed = folder / pyodide.FOLDER / 'python_stdlib.zip'
    kept = changed.read_bytes()
    changed.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    try:
        page = new(browser)
        page.goto(url + '#type')
        page.locator('#run').click()
        expect(page.locator('#status')).to_contain_text('python_stdlib.zip is not')
        page.context.close()  # Chromium's own complaint stands in its console
    finally:
        changed.write_bytes(kept)


@pytest.mark.nightly
def test_what_travels_is_small(folder):
    python = folder / pyodide.FOLDER
    travels = sum(path.stat().st_size for path in python.iterdir()) / 1e6
    pages = [folder / name for name in ('index.html', 'course.css', 'front/scene-1-wide.svg')]
    pages += folder.glob('front/*.js')
    page = sum(len(gzip.compress(path.read_bytes())) for path in pages) / 1e6
    assert abs(travels - pyodide.megabytes()) < 0.5, 'what the page says before'
    assert page + travels < MEGABYTES
