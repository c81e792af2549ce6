"""Start a JupyterHub in this folder, let many users run lesson 03 at once, and print what each took. See `.ci/hub`."""

import asyncio
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

import psutil
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

LESSON = 'lessons/03_takeover.ipynb'
TOKEN = secrets.token_hex(16)
PATIENCE = 300  # seconds
CONFIG = """
import os, subprocess
c = get_config()
c.JupyterHub.bind_url = 'http://127.0.0.1:{}'
c.JupyterHub.hub_bind_url = 'http://127.0.0.1:{}'
c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:{}'
c.JupyterHub.authenticator_class = 'dummy'
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = 'simple'
c.SimpleLocalProcessSpawner.home_dir_template = os.path.join(os.getcwd(), 'homes', '{{username}}')
c.Spawner.default_url = '/lab/tree/' + {!r}
c.Spawner.args = ['--allow-root'] if os.geteuid() == 0 else []
c.JupyterHub.concurrent_spawn_limit = 0
c.JupyterHub.services = [{{'name': 'class', 'api_token': {!r}}}]
c.JupyterHub.load_roles = [
    {{'name': 'class', 'services': ['class'], 'scopes': ['admin:users', 'admin:servers', 'access:servers']}}
]

def lessons(spawner):  # what a learner wrote stays: `minicell copy` never overwrites
    home = spawner.home_dir_template.format(username=spawner.user.name)
    os.makedirs(home, exist_ok=True)
    subprocess.run(['minicell', 'copy', os.path.join(home, 'lessons')], check=True, stdout=subprocess.DEVNULL)

c.Spawner.pre_spawn_hook = lessons
"""


def free_ports(many: int) -> list[int]:
    """Ports that nothing listens at."""
    probes = [socket.socket() for _ in range(many)]
    for probe in probes:
        probe.bind(('127.0.0.1', 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


class Hub:
    """The Hub's address, and requests to it."""

    def __init__(self, port: int) -> None:
        self.host = f'127.0.0.1:{port}'

    async def ask(self, path: str, method: str = 'GET', body: object = None) -> str:
        """Return what the Hub, or a user's server behind it, answers."""
        text = json.dumps(body or {}) if method == 'POST' else None
        header = {'Authorization': f'token {TOKEN}'}
        request = HTTPRequest(
            f'http://{self.host}{path}', method, header, text, request_timeout=PATIENCE, connect_timeout=PATIENCE
        )
        return (await AsyncHTTPClient().fetch(request)).body.decode()

    async def until(self, path: str, good) -> None:
        """Ask until the answer is good."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if good(await self.ask(path)):
                    return
            except (HTTPClientError, OSError):
                pass
            await asyncio.sleep(0.2)
        raise TimeoutError(path)


async def take_part(hub: Hub, name: str) -> tuple[float, float]:
    """One user: a server, the lesson's page, a kernel, all cells. Seconds to the page, and to the last cell's end."""
    start = time.monotonic()
    await hub.ask(f'/hub/api/users/{name}', 'POST')
    await hub.ask(f'/hub/api/users/{name}/server', 'POST')
    await hub.until(f'/hub/api/users/{name}', lambda said: json.loads(said)['servers'].get('', {}).get('ready'))
    base = f'/user/{name}'
    assert 'jupyter-config-data' in await hub.ask(f'{base}/lab/tree/{LESSON}')
    opened = time.monotonic() - start
    notebook = json.loads(await hub.ask(f'{base}/api/contents/{LESSON}'))['content']
    session = {'path': LESSON, 'name': 'lesson', 'type': 'notebook', 'kernel': {'name': 'python3'}}
    kernel = json.loads(await hub.ask(f'{base}/api/sessions', 'POST', session))['kernel']['id']
    url = f'ws://{hub.host}{base}/api/kernels/{kernel}/channels'
    channel = await websocket_connect(HTTPRequest(url, headers={'Authorization': f'token {TOKEN}'}))
    for cell in notebook['cells']:
        if cell['cell_type'] == 'code':
            await run(channel, name, cell['source'])
    channel.close()
    return opened, time.monotonic() - start


async def run(channel, name: str, source: str) -> None:
    """Run one cell; what it complains of ends the trial."""
    sent = {'msg_id': uuid.uuid4().hex, 'msg_type': 'execute_request', 'username': name, 'session': name}
    sent |= {'version': '5.3', 'date': ''}
    content = {'code': source, 'silent': False, 'store_history': True, 'user_expressions': {}, 'allow_stdin': False}
    message = {'header': sent, 'parent_header': {}, 'metadata': {}, 'content': content, 'channel': 'shell'}
    await channel.write_message(json.dumps(message))
    while True:
        came = await asyncio.wait_for(channel.read_message(), PATIENCE)
        assert came is not None, f'the kernel of {name} is gone'
        if isinstance(came, bytes):  # a message with buffers: pictures of widgets
            continue
        reply = json.loads(came)
        assert reply['msg_type'] != 'error', reply['content']
        if reply['msg_type'] == 'execute_reply' and reply['parent_header'].get('msg_id') == sent['msg_id']:
            assert reply['content']['status'] == 'ok', reply['content']
            return


def memory(hub: int) -> dict[str, float]:
    """MB of each user's server and kernel: what they share with others counts in equal parts."""
    found: dict[str, float] = {}
    for process in psutil.Process(hub).children(recursive=True):
        name = process.environ().get('JUPYTERHUB_USER')
        if name:
            found[name] = found.get(name, 0) + process.memory_full_info().pss / 1e6
    return found


async def main(many: int) -> None:
    """Print a line a user."""
    ports = free_ports(3)
    Path('config.py').write_text(CONFIG.format(*ports, LESSON, TOKEN))
    with open('hub.log', 'wb') as log:
        env = {k: v for k, v in os.environ.items() if not k.startswith('JUPYTER')} | {'MINICELL_PROGRESS': 'off'}
        server = subprocess.Popen(['jupyterhub', '-f', 'config.py'], env=env, stdout=log, stderr=log)
    try:
        hub = Hub(ports[0])
        await hub.until('/hub/api/', lambda said: 'version' in said)
        print('JupyterHub', json.loads(await hub.ask('/hub/api/'))['version'], 'on', os.cpu_count(), 'cores')
        names = [f'learner{k}' for k in range(1, many + 1)]
        took = await asyncio.gather(*[take_part(hub, name) for name in names])
        used = memory(server.pid)
        for name, (opened, done) in zip(names, took, strict=True):
            print(
                f'{name}: lesson open after {opened:4.1f} s, run to its end after {done:4.1f} s, {used[name]:3.0f} MB'
            )
        whole = sum(used.values())
        print(f'{many} users at once: the last was done after {max(t for _, t in took):.1f} s; {whole:.0f} MB together')
        await asyncio.gather(*[hub.ask(f'/hub/api/users/{name}/server', 'DELETE') for name in names])
    except BaseException:
        lines = Path('hub.log').read_text().splitlines()
        print(*[line for line in lines if not line.startswith('[I')][-60:], sep='\n', file=sys.stderr)
        raise
    finally:
        family = psutil.Process(server.pid).children(recursive=True)
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
        for left in family:
            if left.is_running():
                left.kill()


asyncio.run(main(int(sys.argv[1])))
