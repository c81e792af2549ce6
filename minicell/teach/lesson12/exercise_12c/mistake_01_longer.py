"""It only needs more time.

Twice the steps, and nothing. Most neurons hear nothing at all, and steps do not change who hears. The few that
do hear are shouted at in each of them.
"""

rescue = {
    'v_threshold': 1.0,
    'learning_rate': 0.01,
    'steps': 600,
}
