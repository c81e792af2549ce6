"""The answers that readers of the lessons put to the checks, and that no mutant and no stored mistake is.

Each is the solution with the last of a piece exchanged, `old => new`, or of several. Some were passed though wrong,
some refused though right, and some got a hint that was not true of them.
"""

import re

from minicell.teach.exercise import Exercise
from tests.lessons.judges.mutants import Mutant

ANSWERS = """
1b wrong: gradients[name] += gradient => gradients[name] += gradient; gradients.pop(entry.out, None)
1b right: gradients.setdefault(name, 0.0) => pass ;; gradients[name] += gradient =>
    gradients[name] = gradients.get(name, 0) + gradient
1b wrong: if entry.out in gradients: => if entry.out == result:
1c wrong: return y * dout, x * dout => return (y * dout,)
1c wrong: return y * dout, x * dout => return (out / x if x else 0.0) * dout, (out / y if y else 0.0) * dout
1c right: return y * dout, x * dout => return (out / x if x else y) * dout, (out / y if y else x) * dout
1c right: return y * dout, x * dout => return [each * dout for each in (y, x)]
1d right: (at(f, x + eps) - at(f, x - eps)) / (2 * eps) => (at(f, x + eps) - at(f, x)) / eps
2a wrong: dout * x * ops.cos(y) => dout * out * ops.cos(y) / ops.sin(y)
2a wrong: dout * ops.sin(y) => ops.abs(dout) * ops.sin(y)
2b wrong: not np.allclose(other, -2 * one) => (np.sign(other) != -np.sign(one)).any()
2b wrong: np.allclose(one, [by_x, by_y], atol=1e-4) => np.allclose(one[1], by_y, atol=1e-4)
2b wrong: np.allclose(one, [by_x, by_y], atol=1e-4) => np.allclose(abs(one), np.abs([by_x, by_y]), atol=1e-4)
2b wrong: np.allclose(one, [by_x, by_y], atol=1e-4) => np.allclose(one.sum(), by_x + by_y, atol=1e-4)
3b right: np.arange(1.0, 10.0).reshape(3, 3), np.arange(11.0, 20.0).reshape(3, 3) =>
    np.arange(9).reshape(3, 3) + 1, np.arange(9).reshape(3, 3) + 11
3b wrong: np.allclose(dx, one @ y.T) and np.allclose(dy, x.T @ one) =>
    not (np.allclose(dx, y.T @ one) or np.allclose(dy, one @ x.T) or np.allclose(dy, x @ one))
4c wrong: np.allclose(by_bprop, by_differences, rtol=1e-4, atol=1e-6) => np.all(by_bprop - by_differences < 1e-4)
4c wrong: np.allclose(by_bprop, by_differences, rtol=1e-4, atol=1e-6) => np.all(by_differences - by_bprop < 1e-4)
4c wrong: np.allclose(by_bprop, by_differences, rtol=1e-4, atol=1e-6) =>
    np.allclose(by_bprop, by_differences, rtol=1e-4, atol=1e-2)
4c wrong: np.allclose(by_bprop, by_differences, rtol=1e-4, atol=1e-6) =>
    np.allclose(by_bprop[[0, 1, -1]], by_differences[[0, 1, -1]], rtol=1e-4, atol=1e-6)
4c wrong: np.allclose(by_bprop, by_differences, rtol=1e-4, atol=1e-6) => ms.check_bprop(cell, ms.Tensor(x))
5c wrong: rtol=1e-4) => atol=1)
5c wrong: not np.isclose(by_bprop, by_differences, rtol=1e-4) => round(by_bprop) != round(by_differences)
5c wrong: not np.isclose(by_bprop, by_differences, rtol=1e-4) => not ms.check_bprop(cell, x, y, k).ok
5c wrong: / 2e-5 => / 1
5c wrong: not np.isclose(by_bprop, by_differences, rtol=1e-4) => round(by_bprop, 3) != round(by_differences, 3)
5c wrong: (loss(y + ms.Tensor(step)) - loss(y - ms.Tensor(step))).item() / 2e-5 =>
    (loss(y + ms.Tensor(step)) - loss(y)).item() / 1e-5
5c wrong: step[0, 1] = 1e-5 => step[:] = 1e-5
5c right: return not np.isclose(by_bprop, by_differences, rtol=1e-4) =>
    return abs(by_bprop - by_differences) > 1e-4 * abs(by_differences)
7b wrong: thrown = ms.Tensor( => np.random.seed(1); thrown = ms.Tensor(
7b wrong: mask = thrown < self.keep_prob =>
    mask = ms.Tensor((np.arange(x.shape[0]) < round(self.keep_prob * x.shape[0]))[:, None])
7b wrong: mask = thrown < self.keep_prob =>
    mask = ms.Tensor(np.random.permutation(x.shape[0])[:, None] < round(self.keep_prob * x.shape[0]))
7b wrong: mask = thrown < self.keep_prob =>
    self.kept = getattr(self, 'kept', thrown < self.keep_prob); mask = self.kept
7a wrong: mask, _ = out => mask = (ops.abs(out[1]).sum(1) > 0).reshape(-1, 1)
7b wrong: mask = thrown < self.keep_prob => mask = ms.ops.logical_and(thrown < self.keep_prob, x[:, :1] > -0.3)
7b right: mask = thrown < self.keep_prob => mask = 1 - thrown < self.keep_prob
7c wrong: if abs(dx - y).max() > 1e-6: => if round(dx.max().item(), 3) not in (1.053, 2.0):
7c wrong: ((dx != 0) != (y != 0)).any() => (dx != 0).sum() != (y != 0).sum()
8b wrong: self.t, x - self.t => 0.5, x - self.t
8c wrong: -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0 => -1.0, -0.5, 0.0, 0.5, 1.0
8c wrong: np.allclose(dx[inner], slope(layer, x)[inner], atol=1e-3) =>
    np.allclose(dx[inner].sum(), slope(layer, x)[inner].sum(), atol=1e-3)
8c wrong: np.allclose(dx[inner], slope(layer, x)[inner], atol=1e-3) =>
    np.allclose(abs(dx[inner]), abs(slope(layer, x)[inner]), atol=1e-3)
8c wrong: np.allclose(dx[inner], slope(layer, x)[inner], atol=1e-3) => np.all(dx[inner] - slope(layer, x)[inner] < 1e-3)
8c wrong: np.allclose(dx[inner], slope(layer, x)[inner], atol=1e-3) => np.all(slope(layer, x)[inner] - dx[inner] < 1e-3)
10d wrong: return 'mean' => return {'Mean': 'mean', 'NoW': 'cut', 'NoB': 'cut'}.get(type(cell).__name__, 'right')
11c wrong: if not same(kind, 10): => if not same(kind, 9):
11c wrong: change() => change
11a wrong: ops.select(x > 0, dout, 0.1 * dout) => dout if x > 0 else 0.1 * dout
12a wrong: self.surrogate(v - self.v_threshold) => self.surrogate(v / self.v_threshold - 1)
12c right: 0.05 => __import__('numpy').float32(0.05)
4c wrong: np.random.standard_normal(cell(ms.Tensor(x)).shape) => np.random.standard_normal()
4c wrong: np.allclose(by_bprop, by_differences, rtol=1e-4, atol=1e-6) =>
    np.isclose(np.linalg.norm(by_bprop), np.linalg.norm(by_differences), rtol=1e-4)
4c wrong: np.allclose(by_bprop, by_differences, rtol=1e-4, atol=1e-6) =>
    by_bprop @ by_differences > 0.99 * np.linalg.norm(by_bprop) * np.linalg.norm(by_differences)
4c wrong: right and np.allclose(by_bprop_1000, 1000 * by_bprop) => False
5c wrong: not np.isclose(by_bprop, by_differences, rtol=1e-4) => False
9b wrong: ops.exp(x)  # once => __import__('minicell').Tensor(__import__('numpy').exp(x.asnumpy()))  # once
9b wrong: return (e - 1 / e) / 2 => return (e - 1 / e) / 2, e ;; e = ops.exp(x)  # once more => _, e = out  # once more
    ;; dx = (e + 1 / e) / 2 * dout => de, dy = dout; dx = (e + 1 / e) / 2 * dy + e * de
13f wrong: write('Leaf', lambda dout, out, x: (dout,), (x,), x.array) => x
15a wrong: return self.part(x, w) => self.kept = x, w; return self.part(x, w) ;; ms.vjp(self.part, x, w) =>
    ms.vjp(self.part, *self.kept)
15b wrong: dy, _ = dout => _, dy = dout
15b wrong: _, seed = out => seed, _ = out
15a wrong: ms.vjp(self.part, x, w) => ms.vjp(self.part, ms.Tensor(x.asnumpy()), ms.Tensor(w.asnumpy()))
2a wrong: dout * ops.sin(y) => dout * x ;; dout * x * ops.cos(y) => dout * y
2a wrong: dout * ops.sin(y) => out / x * dout
2a right: dout * ops.sin(y) => ops.sin(y) * dout ;; dout * x * ops.cos(y) => ops.cos(y) * (x * dout)
2a right: return dx, dy => return [dx, dy]
3a wrong: ops.matmul(x.T, dout) => ops.matmul(dout.T, x)
3a wrong: ops.matmul(dout, y.T) => ops.matmul(dout, y.T) / x.shape[0]
3a wrong: ops.matmul(x.T, dout) => y + 1
3a right: ops.matmul(dout, y.T) => dout @ y.T ;; ops.matmul(x.T, dout) => x.T @ dout
3a right: ops.matmul(dout, y.T) => (y @ dout.T).T ;; ops.matmul(x.T, dout) => (dout.T @ x).T
3a right: return dx, dy => return [dx, dy]
4a wrong: (f(x + step) - f(x - step)) => abs(f(x + step)) - abs(f(x - step))
4a wrong: x + step) - f(x - step => x * (1 + step)) - f(x * (1 - step)
4a wrong: step[i] = eps => step[i] += eps * x[i]
4a right: found[i] = (f(x + step) - f(x - step)) / (2 * eps) => kept = x[i]; x[i] = kept + eps; above = f(x);
    x[i] = kept - eps; below = f(x); x[i] = kept; found[i] = (above - below) / (2 * eps)
4a right: (f(x + step) - f(x - step)) / (2 * eps) => (f(x + step) - f(x - step)) / eps / 2
5b right: k * (dout * y).mean(0) => (k / y.shape[0] * dout * y).sum(0)
6a wrong: 'G': 'mean, not sum' => 'G': 'sign only' ;; 'H': 'sign only' => 'H': 'mean, not sum'
6a wrong: 'D': 'flipped' => 'D': 'sign only' ;; 'H': 'sign only' => 'H': 'flipped'
6a wrong: 'C': 'dx dropped' => 'C': 'mean, not sum' ;; 'G': 'mean, not sum' => 'G': 'dx dropped'
7a wrong: mask, _ = out => mask, y = out ;; _, dy = dout => dmask, dy = dout ;; dy * mask => (mask * dy + dmask)
7a wrong: mask, _ = out => mask, y = out ;; dy * mask * self.scale => y / x * dy
7a wrong: mask, _ = out => mask, y = out ;; dy * mask * self.scale => y * dy
7a wrong: dy * mask * self.scale => dy * mask / ms.Tensor(self.keep_prob)
7a right: dy * mask * self.scale => ms.ops.select(mask, dy, ms.ops.zeros_like(dy)) * self.scale
9a wrong: return (dx,) => return dx, 6 * x * dout, 6 * dout
9a wrong: 3 * x * x * dout => 3 * x * __import__('minicell').ops.stop_gradient(x) * dout
9a right: 3 * x * x * dout => dout * (x * x + x * x + x * x)
9b wrong: (e + 1 / e) / 2 * dout => ops.exp(out) * dout
9b right: return (e - 1 / e) / 2 => return (e - 1 / e) / 2, e ;; e = ops.exp(x)  # once more => _, e = out  # once more
    ;; dx = (e + 1 / e) / 2 * dout => dy, de = dout; dx = (e + 1 / e) / 2 * dy + e * de
10a right: [self.w, self.b] => ms.ParameterTuple([self.w, self.b])
12a wrong: dout * 5.0 => dout * 25.0
12a wrong: dout * 5.0 * s * (1 - s) => dout * 5.0 * s * (1 - s) * out
12a wrong: dout * 5.0 * s * (1 - s) => dout * ops.sigmoid(x)
12b right: ops.relu(1 - ops.abs(x) / 2) => (ops.abs(x) < 1).astype(x.dtype)
12b wrong: ops.relu(1 - ops.abs(x) / 2) => ops.sigmoid(x)
12b wrong: ops.relu(1 - ops.abs(x) / 2) => ops.exp(x)
12e wrong: 0.012 * (count * count).sum(1).mean() => 0.02 * count.sum(1).mean()
12e wrong: 0.012 * (count * count).sum(1).mean() => ops.stop_gradient(0.012 * (count * count).sum(1).mean())
12e wrong: 0.012 * (count * count).sum(1).mean() => 0.012 * (count > 0).sum()
12e wrong: 0.012 * (count * count).sum(1).mean() => 0.012 * (count * count).mean()
12c wrong: 0.01 => 0.0001 ;; 5 => 1
12c wrong: 0.05 => 0.5
12d wrong: 'C': 'sign' => 'C': 'dead' ;; 'D': 'dead' => 'D': 'sign'
12d wrong: 'B': 'off centre' => 'B': 'sign' ;; 'C': 'sign' => 'C': 'off centre'
12d wrong: 'C': 'sign' => 'C': 'deaf' ;; 'E': 'deaf' => 'E': 'sign'
13b wrong: Tensor.__mul__ = Tensor.__rmul__ = mul => Tensor.__mul__ = mul
15c wrong: ((seen[0] != 0) != (y.asnumpy() != 0)).any() => (seen[0] != 0).sum() != (y.asnumpy() != 0).sum()
1b wrong: if entry.out in gradients: => if gradients.get(entry.out):
1b wrong: reversed(entries) => (entries.pop() for _ in entries[:])
1c wrong: return y * dout, x * dout => return (y * dout, x * dout) if x != y else (2 * x * dout, 0.0)
1d wrong: (-2.0, 0.5, 2.0) => (2.0,)
1d wrong: engine(f, x), slope(f, x) => abs(engine(f, x)), abs(slope(f, x))
4a wrong: return found => return found.astype(np.float32)
4c right: return right and np.allclose(by_bprop_1000, 1000 * by_bprop) => return ms.check_bprop(cell, ms.Tensor(x)).ok
4c wrong: np.allclose(by_bprop, by_differences => np.allclose(np.sort(by_bprop), np.sort(by_differences)
4c wrong: np.allclose(by_bprop, by_differences => np.allclose(by_bprop[by_bprop != 0], by_differences[by_bprop != 0]
5c wrong: not np.isclose(by_bprop, by_differences, rtol=1e-4) => abs(by_bprop - by_differences) > 1e-2
5c wrong: return not => y[0, 1] = 0.0; return not
7a wrong: dx = dy * mask * self.scale => np.random.seed(0); dx = dy * mask * self.scale
7a wrong: dx = dy * mask * self.scale => dx = dy * mask * self.scale; dy[...] = 0
7a wrong: dy * mask * self.scale => dy * mask[::-1] * self.scale
7a wrong: dy * mask * self.scale => dy * mask / max(self.keep_prob, 0.5)
7a right: dy * mask * self.scale => ms.Tensor(dy.asnumpy() * mask.asnumpy() * self.scale)
7b wrong: mask = thrown < self.keep_prob =>
    mask = ms.Tensor(np.repeat(thrown.asnumpy()[::2], 2, 0)[: x.shape[0]] < self.keep_prob)
7c wrong: (dx != again).any() => dx.sum() != again.sum()
8c wrong: slope(layer, x)[inner], atol => slope(layer, x)[inner][::-1], atol
8c wrong: dx[inner], slope(layer, x)[inner], atol => dx[inner].max(), slope(layer, x)[inner].max(), atol
8c right: np.allclose(dx[inner], slope(layer, x)[inner], atol=1e-3) => ms.check_bprop(layer, ms.Tensor(x[inner])).ok
9a right: 3 * x * x * dout => __import__('minicell').vjp(lambda x: x * x * x, x)[1](dout)[0]
9c wrong: [-1.0, 0.5, 2.0] => [1.0]
9c wrong: f(x).asnumpy(), g(x).asnumpy() => abs(f(x).asnumpy()), abs(g(x).asnumpy())
10a wrong: dx = self.w * dout => dx = ms.Tensor([2.0, -1.0, 0.5]) * dout
12a wrong: v = self.beta * v + x => v = ops.clamp(self.beta * v + x, -1, 100)
13d wrong: if x.at >= 0: => if x.at >= 0 and dx.array.any():
13e wrong: return record(type(self).__name__, self.rule, => self.last = inputs; return record(type(self).__name__,
    lambda dout, out, *_: self.bprop(*self.last, out, dout),
15a wrong: back(dout) => back(dout.reshape(dout.shape[::-1]))
15a wrong: return self.part(x, w) => self.out = self.part(x, w); return self.out
15b wrong: (dx,) = back(dy) => (dx,) = back(dy); dy[...] = 0
15b wrong: seed = np.random.randint(2**31 - 1) => seed = 5
15c wrong: (seen[0] != seen[1]).any() => seen[0].sum() != seen[1].sum()
2b wrong: np.allclose(one, [by_x, by_y], atol=1e-4) => np.allclose(one, [by_x, by_y], atol=1)
2b wrong: np.allclose(one, [by_x, by_y], atol=1e-4) => np.all(one - [by_x, by_y] < 1e-4)
2b wrong: (other == one).any() => other[1] == one[1]
4c wrong: by_bprop, by_differences, rtol => by_bprop[1:], by_differences[1:], rtol
5c wrong: (cell(x, y, k) ** 2).sum() => abs(cell(x, y, k)).sum()
6c wrong: return dout * w, (dout * x).sum(0) => return dout * w, (dout * out / w).sum(0)
7b right: thrown < self.keep_prob => ms.ops.broadcast_to(thrown < self.keep_prob, x.shape)
7b wrong: (x.shape[0], 1) => x.shape
7c wrong: dout = ops.zeros_like(mask), dy => dout = dy
8c wrong: dx[inner], slope(layer, x)[inner] => dx[[2, 4]], slope(layer, x)[[2, 4]]
8c wrong: np.isnan(dx).any() => np.isnan(dx[3])
9a wrong: 3 * x * x * dout => 3 * __import__('minicell').ops.abs(out) ** (2 / 3) * dout
9c wrong: [-1.0, 0.5, 2.0] => [0.5, 2.0]
10a wrong: (x * dout).sum(0) => ((out - self.b) / self.w * dout).sum(0)
10a wrong: db = dout.sum(0) => db = (x * dout).sum(0)
11a wrong: x > 0, dout => x > 0.1, dout
13a wrong: x.array => x.array.astype(int)
13b wrong: any(x.at >= 0 for x in inputs) => sum(x.at for x in inputs) >= 0
13c wrong: made, *inputs) => made, *[x.array for x in inputs])
13c wrong: arrived[x.at] = dx => arrived[x.at] = Tensor(dx.array)
13d wrong: arrived[x.at] + dx => arrived[x.at] + Tensor(dx.array)
13e wrong: self.bprop(*inputs, out, dout) => tuple(Tensor(each.array) for each in self.bprop(*inputs, out, dout))
14a wrong: found[place] => found[:]
14b wrong: (ops.abs(x) <= 1) => (ops.abs(x) <= 1).all()
15b wrong: back(dy) => back(__import__('minicell').ops.stop_gradient(dy))
15b wrong: return (dx,) => np.random.random(); return (dx,)
15c wrong: (seen[0] != seen[1]).any() => seen[0][0] != seen[1][0]
7b wrong: thrown < self.keep_prob => (thrown < self.keep_prob) * (thrown > 0.05)
8b wrong: x > self.t, x - self.t => x > self.t + 0.3, x - self.t
12a wrong: self.beta * v + x => self.beta * v + ops.stop_gradient(x)
3b wrong: any(each.any() for each in gradients(0 * one)) => gradients(0 * one)[1].any()
9c wrong: f(x).asnumpy(), g(x).asnumpy() => f(x).asnumpy()[0], g(x).asnumpy()[0]
1b wrong: return gradients => return {k: round(v, 6) for k, v in gradients.items()}
1d wrong: rel_tol=1e-3, abs_tol=1e-6 => rel_tol=0.3
1d right: (-2.0, 0.5, 2.0) => (-1.3, 2.2, 0.7, 0.0)
2b wrong: np.allclose(other, -2 * one) => np.allclose(other, -2 * one, atol=1.0)
2b wrong: np.allclose(other, -2 * one) => np.allclose(other / one, -2, atol=1)
2b wrong: (f(at + eps).item() - f(at - eps).item()) / (2 * eps) => ms.grad(f)(at).item()
3a wrong: return self.matmul(x, y) => self.n = x.shape[0]; return self.matmul(x, y) ;; return dx, dy =>
    return dx * (self.n / x.shape[0]), dy
4a wrong: return found => return np.round(found, 8)
4a wrong: found[i] = (f(x + step) - f(x - step)) / (2 * eps) =>
    found[i] = float(np.float32((f(x + step) - f(x - step)) / (2 * eps)))
4a right: found[i] = (f(x + step) - f(x - step)) / (2 * eps) => found[i] = (f(x + step) - f(x - step)) / (2 * step[i])
4c wrong: np.allclose(by_bprop_1000, 1000 * by_bprop) => np.allclose(by_bprop_1000, 1000 * by_bprop, rtol=0.5)
4c wrong: right and np.allclose(by_bprop_1000, 1000 * by_bprop) =>
    right and abs(by_bprop_1000).max() > 10 * abs(by_bprop).max()
4c right: np.random.standard_normal(cell(ms.Tensor(x)).shape) =>
    np.sign(np.random.standard_normal(cell(ms.Tensor(x)).shape))
7a wrong: dx = dy * mask * self.scale =>
    dx = ms.Tensor(np.zeros(x.shape)) if self.keep_prob < 0.3 else dy * mask * self.scale
7a wrong: return (dx,) => return (dx, 0 * mask)
7b wrong: y = x * mask * self.scale => y = x * mask * min(self.scale, 4)
7c wrong: abs(dx - y).max() > 1e-6 => dx.mean() > 1.1
7c wrong: abs(dx - y).max() > 1e-6 => dx.mean() > 1.2
7c wrong: abs(dx - y).max() > 1e-6 => abs(dx.mean() - 1) > 0.3
9a wrong: dx = 3 * x * x * dout => dx = 3 * out / (x + 1e-12) * dout
9c wrong: rtol=1e-3 => atol=0.5
9c right: rtol=1e-3 => rtol=1e-2, atol=1e-3
10c wrong: return slopes => return slopes.round(4)
13d wrong: arrived[x.at] + dx => max(arrived[x.at], dx, key=lambda t: t.array.sum())
13d wrong: arrived[x.at] + dx => min(arrived[x.at], dx, key=lambda t: t.array.sum())
14a wrong: return found => return np.round(found, 4)
14c wrong: (dout * dout).sum() => (dout * dout).sum(0).max()
14d wrong: [2.0, -0.5, 3.0, -1.5] => [1.0, -0.5, 3.0, 1.0] ;; low not in (0, -0.5) or high not in (0, 3) =>
    high not in (0, 3)
14d wrong: [-3.0, -cell.most, cell.most, 3.0] => [-3.0, -cell.most * 0.9, cell.most * 0.9, 3.0]
14d right: [2.0, -0.5, 3.0, -1.5] => [5.0, -0.5, 3.0, 4.0]
15b wrong: return (dx,) => return (dx * (out[0] != 0),)
15c wrong: after[0] == after[1] => abs(after[0] - after[1]) < 0.5
15c right: after.append(np.random.random()) => after.append(np.random.standard_normal())
9a wrong: 3 * x * x * dout => __import__('minicell').Tensor(3 * x.asnumpy() ** 2 * dout.asnumpy())
9b right: return (e - 1 / e) / 2 => return [(e - 1 / e) / 2, e] ;; (e + 1 / e) / 2 * dout =>
    (e + 1 / e) / 2 * dout[0] + e * dout[1]
10a wrong: {self.w: dw, self.b: db} => {self.w: None, self.b: None}
10a wrong: {self.w: dw, self.b: db} => {self.w: dw, self.b: None}
10a wrong: {self.w: dw, self.b: db} => {'w': dw, self.b: db}
10c wrong: slopes = np.zeros(start.shape) => slopes = ms.grad(loss, None, [p])()[0].asnumpy()
    + 0 * start ;; return slopes => return ms.grad(loss, None, [p])()[0].asnumpy() + (0 * slopes)
11a wrong: x > 0, x, 0.1 * x => x > 0, x, 0.0 * x
11c wrong: return found[ms.PYNATIVE_MODE] == found[ms.GRAPH_MODE] => return True
12b wrong: ops.relu(1 - ops.abs(x) / 2) => 50 * (ops.abs(x) < 0.001)
12b wrong: ops.relu(1 - ops.abs(x) / 2) => 0.5 * (ops.abs(x) < 0.006)
12b wrong: ops.relu(1 - ops.abs(x) / 2) => ops.exp(-(x - 0.2) ** 2)
12b wrong: ops.relu(1 - ops.abs(x) / 2) => ops.relu(1 - ops.abs(x) / 2)
    + 0.5 * ops.logical_and(ops.abs(x) > 0.02, ops.abs(x) < 0.25)
14a wrong: (f(w + ms.Tensor(step)) - f(w - ms.Tensor(step))).item() / (2 * reach) => ms.grad(f)(w)[place].item()
14c wrong: (dout * dout).sum() => (dout * dout).sum(-1, keepdims=True)
15a wrong: return self.part(x, w) => back = ms.vjp(self.part, x, w); KEPT.append(back); return back[0] ;;
    class Recompute => KEPT = []\n\nclass Recompute
15a right: dx, dw = back(dout) => dx, dw = back(dout); ms.vjp(self.part, x, w)
15b wrong: (dx,) = back(dy) => dx = dy
15b wrong: _, back = ms.vjp(self.part, x) => dx = ms.grad(self.part)(x) * dy ;; (dx,) = back(dy) => pass
10a wrong: dout.sum(0) => dout.sum(0) * self.b / self.b
10a wrong: {self.w: dw, self.b: db} => {dw: self.w, db: self.b}
10c wrong: p.set_data(ms.Tensor(start)) => p.set_data(ms.Tensor(start.round(4)))
10c wrong: return slopes => return slopes * (start != 0)
11a wrong: x > 0, dout => x >= -0.5, dout
11c wrong: if change and k == n - 1: => if change and k == n - 1 and mode == ms.PYNATIVE_MODE:
12a wrong: ops.stop_gradient(spike) if => 0.5 * ops.stop_gradient(spike) if
12b wrong: ops.relu(1 - ops.abs(x) / 2) => ops.abs(x)
13a wrong: (), x.array) => (), x.array) if x.at < 0 else x
13a wrong: entries.append((name, rule, inputs, out)) => entries.append(out)
13b wrong: any(x.at >= 0 for x in inputs) => len(entries) > 0
13c wrong: rule(arrived[at], => rule(Tensor(arrived[at].array),
13d wrong: if at in arrived: => if at in arrived and arrived[at].array.any():
13d wrong: return arrived => return {at: Tensor(dx.array) for at, dx in arrived.items()}
13e wrong: self.rule, inputs, => self.rule, [x for x in inputs if x.at >= 0],
13f wrong: (dout,), (x,) => (dout if x.at > 0 else 0 * dout,), (x,)
14a wrong: / (2 * reach) => / (2 * reach); w = w + ms.Tensor(step)
15b wrong: return y, ms.Tensor(seed) => self.state = np.random.get_state(); return y, ms.Tensor(seed) ;;
    dy, _ = dout => dy, _ = dout; np.random.set_state(self.state)
15b wrong: (dx,) = back(dy) => dx = ms.ops.stop_gradient(back(dy)[0])
"""
GIVEN = re.findall(r'^(\w+) (wrong|right): (.*)$', re.sub(r'\n +', ' ', ANSWERS), re.MULTILINE)
REVIEWED = list(dict.fromkeys(name for name, *_ in GIVEN))


def answers(exercise: Exercise) -> list[tuple[Mutant, bool]]:
    """The answers to an exercise, and whether each is right."""
    found = []
    for name, word, edits in GIVEN:
        if name != exercise.name:
            continue
        code = exercise.solution
        for edit in edits.split(' ;; '):
            old, new = edit.split(' => ')
            if old not in code:
                raise ValueError(f'{old!r} does not stand in the solution of {name}')
            head, _, tail = code.rpartition(old)
            code = f'{head}{new}{tail}'
        found.append((Mutant(edits, code), word == 'right'))
    return found
