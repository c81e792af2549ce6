"""The harness sees what goes right and what goes wrong in a notebook."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser import sample
from tests.browser.lab import LOOPBACK, Notebook, Server, errors, fast_enough

pytestmark = pytest.mark.browser


@pytest.fixture(scope='module')
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp('sample')
    sample.write(folder / 'good.ipynb', sample.STEPPER, sample.BUTTON, sample.STEPPER)
    sample.write(folder / 'bad.ipynb', sample.FAULTS)
    with Server(folder) as server:
        yield server


def test_a_good_notebook_runs_steps_and_answers(browser, server, shots):
    notebook = Notebook(browser, server, 'good.ipynb')
    cells = notebook.run_all()
    assert [cell['count'] for cell in cells] == [1, 2, 3]
    assert not errors(cells)

    stepper, other = notebook.steppers()
    assert (stepper.name, other.name) == ('sample', 'sample-2')
    texts = stepper.walk(shots)
    assert [f'frame {k} of 12' in text and f'step {k}' in text for k, text in enumerate(texts)] == [True] * 12
    assert len(list(shots.glob('sample-*.png'))) == 12
    assert stepper.press('ArrowRight') is None, 'a step after the last'
    assert 'frame 0 of 12' in other.text(), 'the other picture stays where it is'
    assert fast_enough(other, 50)

    notebook.page.get_by_role('button', name='Ask the kernel').click()
    notebook.page.get_by_text('the kernel says 42').wait_for()

    assert not notebook.seen.console
    assert not notebook.seen.failed
    assert notebook.seen.hosts == {LOOPBACK}
    notebook.close()


def test_a_bad_notebook_is_found_out(browser, server):
    notebook = Notebook(browser, server, 'bad.ipynb')
    cells = notebook.run_all()
    assert errors(cells) == ['mumble\n', 'ValueError: a faulty cell']
    assert any('a faulty front end' in line for line in notebook.seen.console)
    assert 'elsewhere.invalid' in notebook.seen.hosts
    assert any('elsewhere.invalid' in line for line in notebook.seen.failed)
    notebook.close()
