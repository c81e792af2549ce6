// Python, in a worker: it is started by its first message, and answers one program after another.
//
// Each file is fetched, counted for the bar, unpacked where it travels packed, and then handed to the browser's own
// check of hashes (`integrity`). Whatever is not in the list of files cannot be fetched from here at all.
const fetched = self.fetch.bind(self);
let files, here, python, call;
let got = 0, all = 0;

async function bytes(name) { // of one file, checked
  const {url, sha, packed} = files[name];
  const answer = await fetched(new URL(url, here));
  if (!answer.ok) throw new Error(`${url} could not be fetched: ${answer.status} ${answer.statusText}`);
  const counted = new TransformStream({transform(piece, to) {
    got += piece.byteLength;
    self.postMessage({kind: 'bar', part: got / all});
    to.enqueue(piece);
  }});
  let body = answer.body;
  if (packed) body = body.pipeThrough(new DecompressionStream('gzip'));
  const blob = await new Response(body.pipeThrough(counted)).blob();
  const kept = URL.createObjectURL(blob);
  try {
    return await (await fetched(kept, {integrity: sha})).arrayBuffer();
  } catch {
    throw new Error(`${url} is not the file that it should be, so it was not used: its hash differs.`);
  } finally {
    URL.revokeObjectURL(kept);
  }
}

async function script(content) { // run a script that was checked
  const url = URL.createObjectURL(new Blob([content], {type: 'text/javascript'}));
  const module = await import(url);
  URL.revokeObjectURL(url);
  return module;
}

async function start({config, page}) {
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
  python = await loadPyodide({indexURL: 'https://minicell.invalid/', stdout: quiet, stderr: quiet});
  await python.loadPackage('numpy', {messageCallback: quiet});
  if (!('numpy' in python.loadedPackages)) throw new Error('NumPy was not loaded.');
  const site = python.runPython('import site; site.getsitepackages()[0]');
  python.unpackArchive(await coming['minicell.zip'], 'zip', {extractDir: site});
  python.runPython(new TextDecoder().decode(await coming['program.py']), {filename: 'program.py'});
  call = name => python.globals.get(name);
  self.postMessage({kind: 'ready', ...JSON.parse(call('ready'))});
}

self.onmessage = async ({data}) => {
  try {
    if (data.kind === 'start') return await start(data);
    const began = performance.now();
    const answer = data.kind === 'run' ? call('run')(data.code, data.only) : call('rest')();
    self.postMessage({kind: data.kind, id: data.id, took: performance.now() - began, ...JSON.parse(answer)});
  } catch (error) {
    self.postMessage({kind: 'dead', says: String(error.message ?? error)});
  }
};
