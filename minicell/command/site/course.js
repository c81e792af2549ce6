// Each tape shows one of its frames. Without this script the first one stands there.
for (const tape of document.querySelectorAll('figure.tape')) {
  const frames = [...tape.querySelectorAll('.frame')];
  const slider = tape.querySelector('input');
  const said = tape.querySelector('output');
  const play = tape.querySelector('[data-go=play]');
  let at = 0;
  let timer = 0;

  function show(to) {
    frames[at].hidden = true;
    at = Math.max(0, Math.min(frames.length - 1, to));
    frames[at].hidden = false;
    slider.value = at + 1;
    said.textContent = `${at + 1} of ${frames.length}`;
    if (at === frames.length - 1) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = 'Play';
  }

  const go = {
    first: () => show(0),
    back: () => show(at - 1),
    next: () => show(at + 1),
    last: () => show(frames.length - 1),
    play: () => {
      if (timer) return stop();
      if (at === frames.length - 1) show(0);
      timer = setInterval(() => show(at + 1), 1500);
      play.textContent = 'Pause';
    },
  };
  for (const button of tape.querySelectorAll('button')) {
    button.addEventListener('click', () => go[button.dataset.go]());
  }
  slider.addEventListener('input', () => show(slider.value - 1));
}

// JupyterLite needs a web server.
if (location.protocol === 'file:') {
  for (const words of document.querySelectorAll('.served')) words.hidden = true;
}
