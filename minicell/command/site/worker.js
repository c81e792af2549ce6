// Python, in a worker: it is started by its first message, and then calls one function of its program after another.
//
// Each file is fetched, counted for the bar, unpacked where it travels packed, and then handed to the browser's own
// check of hashes (`integrity`). Whatever is not in the list of files cannot be fetched from here at all. Those of
// Pyodide itself stay in the browser, by their hash, for the next page and the next day.
const fetched = self.fetch.bind(self);
let files, here, python, call;
let got = 0, all = 0;

function count(bytes) {
  got += bytes;
  self.postMessage({kind: 'bar', part: got / all});
}
async function checked(blob, sha) {
  const url = URL.createObjectURL(blob);
  try {
    return await (await fetched(url, {integrity: sha})).arrayBuffer();
  } finally {
    URL.revokeObjectURL(url);
  }
}
async function bytes(name) { // of one file, checked
  const {url, sha, size, packed, kept} = files[name], as = `https://minicell.invalid/${sha}`;
  const store = kept ? await self.caches?.open('minicell').catch(() => null) : null;
  const before = await store?.match(as).catch(() => null);
  if (before) {
    try {
      const content = await checked(await before.blob(), sha);
      count(size);
      return content;
    } catch { /* the browser has kept something else: it is fetched anew */ }
  }
  const answer = await fetched(new URL(url, here)).catch(() => {
    throw new Error(`${url} could not be fetched: is there a network?`);
  });
  if (!answer.ok) throw new Error(`${url} could not be fetched: ${answer.status} ${answer.statusText}`);
  const counted = new TransformStream({transform(piece, to) {
    count(piece.byteLength);
    to.enqueue(piece);
  }});
  let body = answer.body;
  if (packed) body = body.pipeThrough(new DecompressionStream('gzip'));
  const blob = await new Response(body.pipeThrough(counted)).blob();
  const content = await checked(blob, sha).catch(() => {
    throw new Error(`${url} is not the file that it should be, so it was not used: its hash differs.`);
  });
  await store?.put(as, new Response(blob)).catch(() => {}); // where there is no room, it is fetched again
  return content;
}

async function script(content) { // run a script that was checked
  const url = URL.createObjectURL(new Blob([content], {type: 'text/javascript'}));
  const module = await import(url);
  URL.revokeObjectURL(url);
  return module;
}

async function start({config, page}) {
  if (!self.WebAssembly) throw new Error('This browser has no WebAssembly, and Python needs it.');
  ({files} = config);
  here = page;
  all = Object.values(files).reduce((sum, file) => sum + file.size, 0);
  const coming = Object.fromEntries(Object.keys(files).map(name => [name, bytes(name)]));
  await Promise.all(Object.values(coming));
  self.postMessage({kind: 'bar', part: 1});
  const types = {wasm: 'application/wasm', json: 'application/json'};
  self.fetch = async asked => {
    const name = String(asked.url ?? asked).split('/').pop();
    if (!(name in coming)) throw new TypeError(`${name} is not part of this page`);
    const type = types[name.split('.').pop()] ?? 'application/octet-stream';
    return new Response(await coming[name], {headers: {'content-type': type}});
  };
  await script(await coming['pyodide.asm.js']);
  const {loadPyodide} = await script(await coming['pyodide.mjs']);
  const quiet = () => {};
  python = await loadPyodide({indexURL: 'https://minicell.invalid/', stdin: quiet, stdout: quiet, stderr: quiet});
  await python.loadPackage('numpy', {messageCallback: quiet});
  if (!('numpy' in python.loadedPackages)) throw new Error('NumPy was not loaded.');
  const site = python.runPython('import site; site.getsitepackages()[0]');
  for (const {to, kept} of Object.values(files)) { // the archives come first
    if (!kept && to.endsWith('.zip')) python.unpackArchive(await coming[to], 'zip', {extractDir: site});
    if (to.endsWith('.py')) python.runPython(new TextDecoder().decode(await coming[to]), {filename: to});
  }
  call = name => python.globals.get(name);
  self.postMessage({kind: 'ready', ...JSON.parse(call('ready'))});
}

self.onmessage = async ({data}) => {
  try {
    if (data.kind === 'start') return await start(data);
    const began = performance.now();
    const answer = call(data.kind)(...data.with);
    self.postMessage({kind: data.kind, id: data.id, took: performance.now() - began, ...JSON.parse(answer)});
  } catch (error) {
    const says = String(error.message ?? error).trim().split('\n').at(-1); // of Python's traceback, what it is
    const ended = `Python has ended: ${says}. It starts anew next time.`;
    self.postMessage({kind: 'dead', says: data.kind === 'start' ? says : ended});
  }
};
