"""A hundred strings that a page must show and never obey, and a program that has each of them in every place it can."""

import linecache
import re
import warnings
from collections import OrderedDict

import numpy as np

import minicell as ms
from minicell import nn, ops

CALL = 'window.canary=1'  # what each of them would run; the tests look whether it ran
STRINGS = [
    f'<script>{CALL}</script>',
    f'</script><script>{CALL}</script>',
    f'<ScRiPt src=http://evil.invalid/x.js>{CALL}</sCrIpT>',
    f'<img src=x onerror={CALL}>',
    f'"><img src=x onerror="{CALL}">',
    f"'><img src=x onerror='{CALL}'>",
    f'`><img src=x onerror=`{CALL}`>',
    f'<img src="http://evil.invalid/pixel.png" onload={CALL}>',
    f'<svg onload={CALL}>',
    f'</svg><svg onload={CALL}></svg>',
    f'</text><script>{CALL}</script><text>',
    f'</title><script>{CALL}</script>',
    f'</desc><img src=x onerror={CALL}>',
    f'</style><script>{CALL}</script>',
    f'</textarea><script>{CALL}</script>',
    f'</pre></code></div><img src=x onerror={CALL}>',
    f']]><script>{CALL}</script>',
    f'<![CDATA[<script>{CALL}</script>]]>',
    f'--><script>{CALL}</script><!--',
    f'<?xml version="1.0"?><script>{CALL}</script>',
    f'<!DOCTYPE x [<!ENTITY e "{CALL}">]>&e;',
    f'" onmouseover="{CALL}" x="',
    f"' onfocus='{CALL}' autofocus='",
    f'x onclick={CALL} tabindex=1',
    f'<a href="javascript:{CALL}">a link</a>',
    f'<a xlink:href="javascript:{CALL}"><text>a link</text></a>',
    f'<iframe src="javascript:{CALL}"></iframe>',
    f'<iframe srcdoc="<script>parent.{CALL}</script>"></iframe>',
    f'<object data="data:text/html,<script>{CALL}</script>"></object>',
    f'<embed src="javascript:{CALL}">',
    f'<foreignObject><body onload={CALL}></foreignObject>',
    f'<animate onbegin={CALL} attributeName=x dur=1s>',
    f'<set attributeName="onmouseover" to="{CALL}"/>',
    '<use href="http://evil.invalid/x.svg#x"/>',
    '<image href="http://evil.invalid/x.png"/>',
    '<link rel=stylesheet href=http://evil.invalid/x.css>',
    '<style>@import "http://evil.invalid/x.css"; *{display:none}</style>',
    '<base href="http://evil.invalid/">',
    '<meta http-equiv="refresh" content="0;url=http://evil.invalid/">',
    f'<form action="http://evil.invalid/"><input autofocus onfocus={CALL}></form>',
    f'<details open ontoggle={CALL}>x</details>',
    f'<video src=x onerror={CALL}></video>',
    f'<math><mtext></form><form><mglyph><style></math><img src onerror={CALL}>',
    f'&lt;script&gt;{CALL}&lt;/script&gt;',
    f'&#60;img src=x onerror={CALL}&#62;',
    f'\\u003cscript\\u003e{CALL}\\u003c/script\\u003e',
    f'`<script>{CALL}</script>` and **<b onclick={CALL}>bold</b>**',
    f'{{{{constructor.constructor("{CALL}")()}}}} ${{{CALL}}} $$\\href{{javascript:{CALL}}}{{x}}$$',
    f'<\x00script>{CALL}</\x00script>\x0b\x1b[31m\x07',
    f'\u202e<img src=x onerror={CALL}>\ud800\udfff\ufffe🙂' + 'א' * 40,
]
BREAKS = '"', "'", '>', '-->', ']]>">', '</svg>', '</g></svg>', '</div>', '</p>', '</button>'
RUNS = f'<script>{CALL}</script>', f'<img src=x onerror={CALL}>', f'<svg/onload={CALL}>', f'<b onclick={CALL}>x</b>'
STRINGS += [out + run for out in BREAKS for run in (*RUNS, f'<details open ontoggle={CALL}>x')]
assert len(STRINGS) == len(set(STRINGS)) == 100


def class_name(words):
    """As much of a string as Python lets a class be called."""
    return words.replace('\x00', '').encode('utf-8', 'replace').decode('utf-8')


class Values:
    """What is no tensor is told by its repr."""

    def __init__(self, words):
        self.words = words

    def __repr__(self):
        return self.words


def tapes(words):
    """Tapes that have the words in each place that a picture reads from: one that ends well, and one torn."""
    name = class_name(words)
    file = f'<cell {name}>'  # a file's name, too, is somebody else's text
    line = re.sub(r'[\x00-\x08\n-\x1f]', '', name)  # what no line of code may have
    source = (
        'class Net(nn.Cell):\n'
        f'    # {line}\n'
        '    def __init__(self):\n'
        '        super().__init__()\n'
        '        self.gain = ms.Parameter(ms.Tensor([2.0]), name=WORDS)\n'
        '        self.key = "".join(WORDS.split()).replace(".", "") or "part"\n'
        '        setattr(self, self.key, nn.ReLU())\n'
        '        self.own = Own()\n'
        '        self.internal_params = [self.gain]\n'
        '    def construct(self, x, more, deep):\n'
        f'        y = self.own(x) * self.gain  # {line}\n'
        '        return {WORDS: getattr(self, self.key)(y), "list": [y]}\n'
        '    def bprop(self, x, more, deep, out, dout):\n'
        f'        """{line.replace(chr(92), "").replace(chr(34), chr(39))}"""\n'
        '        return (dout[WORDS] * self.gain, None, None), {self.gain: dout[WORDS].sum().reshape((1,))}\n'
        'net = Net()\n'
        'net.__class__.__name__ = net.__class__.__qualname__ = NAME\n'
        'def f(x):\n'
        '    out = net(x, Values(WORDS), {WORDS: x})\n'
        '    return (Own()(out[WORDS]) * net.gain).sum()\n'
        'tape = ms.Tape()\n'
        'with tape:\n'
        '    ms.grad(f, 0, net.trainable_params())(ms.Tensor([1.0, -2.0]))\n'
        'torn = ms.Tape()\n'
        'class Broken(nn.Cell):\n'
        '    def construct(self, x):\n'
        '        return x * 2\n'
        '    def bprop(self, x, out, dout):\n'
        '        raise ValueError(WORDS)\n'
        'try:\n'
        '    with torn:\n'
        '        ms.grad(Broken())(ms.Tensor([1.0, -2.0]))\n'
        'except ValueError:\n'
        '    pass\n'
        'early = ms.Tape()\n'
        'try:\n'
        '    with early:\n'
        '        raise type(NAME, (Exception,), {})(WORDS)\n'
        'except Exception:\n'
        '    pass\n'
    )
    linecache.cache[file] = (len(source), None, [f'{part}\n' for part in source.split('\n')], file)
    own = type(name, (ops.Primitive,), {'kernel': kernel, 'rule': rule})
    own.__doc__ = words
    space = OrderedDict(ms=ms, nn=nn, WORDS=words, NAME=name, Own=own, Values=Values)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', ms.errors.MinicellWarning)
        exec(compile(source, file, 'exec'), space)
    return space['tape'], space['torn'], space['early']


def kernel(self, x):
    return np.maximum(x, 0) + x


def rule(self, g, out, x):
    return (g * 2,)
