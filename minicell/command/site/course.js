// JupyterLite needs a web server.
if (location.protocol === 'file:') {
  for (const words of document.querySelectorAll('.served')) words.hidden = true;
}
