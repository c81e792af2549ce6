// No key goes beyond what a cell shows: around it, each would be a command of the notebook. Ctrl-S does, and saves it.
function keepKeys(root) {
  root.addEventListener('keydown', event => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) event.stopPropagation();
  });
}
