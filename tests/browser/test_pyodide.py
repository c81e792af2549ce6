"""The tests of the core and of graph mode in Pyodide: Python for the browser, in a worker, on a page of loopback.

They are all the tests of those two folders, by pytest as it is installed here, which is Python alone; the settings of
tests/conftest.py stay behind, for Hypothesis has a part that is compiled, and these tests do not need it.
"""

import json
from collections import Counter
from importlib.metadata import files
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from playwright.sync_api import Browser

from minicell.command.site.origin import PINS
from tests.servers import ROOT
from tests.test_address import load

pytestmark = pytest.mark.nightly

FOLDERS = 'tests/core', 'tests/graph'
PACKED = 'minicell', 'tests', 'pyproject.toml'
INSTALLED = 'pytest', 'pluggy', 'iniconfig', 'packaging', 'pygments', 'autograd'
OPTIONS = '-q', '--noconftest', '-p', 'no:cacheprovider', '-m', 'not nightly'
WORKER = """address => new Promise(done => {
  const code = `
    importScripts('${address}lite/static/pyodide/pyodide.js');
    (async () => {
      const python = await loadPyodide({indexURL: '${address}lite/static/pyodide/'});
      await python.loadPackage('numpy');
      const packed = await fetch('${address}tests.zip');
      python.unpackArchive(await packed.arrayBuffer(), 'zip', {extractDir: '/work'});
      self.postMessage(python.runPython(python.FS.readFile('/work/run.py', {encoding: 'utf8'})));
    })().catch(error => self.postMessage(String(error)));`;
  const worker = new Worker(URL.createObjectURL(new Blob([code], {type: 'text/javascript'})));
  const end = said => { worker.terminate(); done(said); };
  worker.onmessage = ({data}) => end(data);
  worker.onerror = ({message}) => end(message);
  setTimeout(() => end('not done after 15 minutes'), 900000); // it takes ten times as long as here
})"""
# What the worker runs; its value is JSON: what became of each test, and why.
RUN = f"""
import json, os, shutil, site, sys
shutil.copytree('/work/installed', site.getsitepackages()[0], dirs_exist_ok=True)
os.chdir('/work')
sys.dont_write_bytecode = True
import pytest

class Kept:
    told = {{}}

    def pytest_runtest_logreport(self, report):
        if report.when == 'call' or report.outcome != 'passed':
            self.told[report.nodeid] = report.outcome, report.longreprtext

    def pytest_collectreport(self, report):
        if report.outcome != 'passed':
            self.told[report.nodeid] = report.outcome, report.longreprtext

pytest.main([{', '.join(map(repr, (*OPTIONS, '--capture=sys', *FOLDERS)))}], plugins=[Kept()])
json.dumps(Kept.told)
"""


def pack(path: Path) -> None:
    """Put the project's tests, minicell and pytest into an archive."""
    with ZipFile(path, 'w', ZIP_DEFLATED) as archive:
        for name in PACKED:
            for file in [ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob('*'):
                if file.is_file() and '__pycache__' not in file.parts and 'browser' not in file.parts:
                    archive.write(file, file.relative_to(ROOT))
        for name in INSTALLED:
            for file in files(name) or ():
                if file.suffix == '.py' and '..' not in file.parts:
                    archive.write(file.locate(), f'installed/{file}')
        archive.writestr('run.py', RUN)


def test_the_tests_of_core_and_graph_pass_there(browser: Browser, built: Path, address: str):
    pack(built.parent / 'tests.zip')
    page = browser.new_page()
    page.goto(f'{address}lite/licences/README.txt')
    answer = page.evaluate(WORKER, address)
    page.close()
    assert answer.startswith('{'), answer
    told = json.loads(answer)
    counts = Counter(outcome for outcome, _ in told.values())
    print(', '.join(f'{count} {outcome}' for outcome, count in counts.items()))
    assert {name: why for name, (outcome, why) in told.items() if outcome != 'passed'} == {}
    files = {str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob('test_*.py')}
    assert {name.partition('::')[0] for name in told} == files


def test_what_is_believed_of_pyodide_is_what_its_makers_publish():
    assert load(ROOT / '.github/pyodide.py').published(PINS['version']) == PINS
