"""A is a tie: the Python number takes the dtype of the Tensor, both sides are the same float32, and `>` says no. B
asks `>=`, and that says yes.

C and D only look like ties. The float32 nearest to 0.1 is a little above the float64 nearest to 0.1, and `0.1 +
0.2` is a little above `0.3`. In E the float16 nearest to 0.1 lies a little below. (In MindSpore 2.10 D gets 0: beside a
float64 Tensor it rounds the Python number 0.3 to float32, which is a little above both.)

F is a tie between two arguments that both could be the maximum. Each gets one half. MindSpore does so, and PyTorch.
"""

slopes = {
    'A': 0,
    'B': 1,
    'C': 1,
    'D': 1,
    'E': 0,
    'F': 0.5,
}
