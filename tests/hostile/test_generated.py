"""Programs of hostile use by the thousand: the gradient is right, or minicell said why not. Never wrong in silence."""

import pytest

from tests.hostile.acts import ACTS
from tests.hostile.programs import Program
from tests.hostile.said import left, next_gradient_is_right, tidy
from tests.hostile.test_threads import switch_often  # noqa: F401


def judged(program: Program, seed: int) -> str:
    """'right', 'said', or what is wrong, with the program or after it."""
    verdict = program.verdict()
    found = left()
    if found:
        tidy()
        return f'left open: {found} ({verdict})'
    return 'the next gradient is wrong' if seed % 20 == 0 and not next_gradient_is_right() else verdict


EACH = [pytest.param(10, marks=pytest.mark.slow), pytest.param(150, marks=pytest.mark.nightly)]


@pytest.mark.parametrize('each', EACH)
@pytest.mark.parametrize('name', ACTS)
def test_no_program_is_wrong_in_silence(name, each):
    programs = [Program(name, seed) for seed in range(each)]
    verdicts = [judged(program, seed) for seed, program in enumerate(programs)]
    wrong = [
        f'{seed}, {" and ".join(program.acts)}, by {program.way}: {verdict}'
        for seed, (program, verdict) in enumerate(zip(programs, verdicts, strict=True))
        if verdict not in ('right', 'said')
    ]
    assert not wrong, f'{len(wrong)} of {each} programs, such as\n' + '\n'.join(wrong[:4])
