"""All frames of one layout, folded into what travels: for each shape the steps at which it changes, and how."""

from functools import cached_property
from typing import Any, NamedTuple

from .shapes import Frame


class Step(NamedTuple):
    """What is said at a step, where its dot lies on the step line, and what a press leads here from."""

    title: str
    caption: str
    at: tuple[float, float] = (0, 0)
    go: tuple[str, ...] = ()
    jump: str = ''  # the label of a button that leads here


class Film:
    """Frames of one size, step by step."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.frames: list[Frame] = []
        self.steps: list[Step] = []
        self.lost = ''  # a line under it, which says what could not be followed
        self.line: dict[str, Any] = {}  # the step line: see line.py
        self.links: dict[str, dict] = {}  # value -> the values that light with it, and what is read out
        self.accounts: dict[str, dict] = {}  # value -> how it was made

    def alt(self, step: int) -> str:
        """A step in words."""
        said = self.steps[step]
        title = said.title if said.title.endswith(('.', '!', '?', '…')) else f'{said.title}.'
        return ' '.join(filter(None, (title, said.caption, self.lost)))

    def add(self, frame: Frame, step: Step) -> None:
        """One more step."""
        self.frames.append(frame)
        self.steps.append(step)

    @cached_property
    def nodes(self) -> list[list]:
        """All frames: [tag, key, [[step, change], …]] in paint order; a change holds the attributes that differ, 0 is
        gone."""
        nodes: dict[str, tuple[int, list]] = {}
        before: Frame = Frame()
        for number, frame in enumerate(self.frames):
            for key in before.keys() - frame.keys():
                nodes[key][1][2].append([number, 0])
            for key, shape in frame.items():
                if key not in nodes:
                    nodes[key] = shape.layer, [shape.tag, key, []]
                now, old = shape.attrs, before[key].attrs if key in before else {}
                if now != old:
                    change = {k: v for k, v in now.items() if old.get(k) != v}
                    nodes[key][1][2].append([number, change | {k: None for k in old if k not in now}])
            before = frame
        return [node for _, node in sorted(nodes.values(), key=lambda pair: pair[0])]

    def data(self) -> dict[str, Any]:
        """The film as plain data, for the player."""
        steps = [dict(t=s.title, c=s.caption, at=list(s.at), go=list(s.go), jump=s.jump) for s in self.steps]
        return dict(w=self.width, h=self.height, n=self.nodes, s=steps, tape=self.line, l=self.links, r=self.accounts)
