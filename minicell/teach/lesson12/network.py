"""What lesson 12 trains: the notebook's own cells define it, and the solution of exercise 12a its neuron."""

from minicell.teach.source import defined

bitmaps, digits, Net, loss_of, train, accuracy, gradient, silent, measure = defined(
    '12', 'bitmaps digits Net loss_of train accuracy gradient silent measure', 'ROWS lines relusigmoid Neuron', '12a'
)
