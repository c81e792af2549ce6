"""What happened on a Tape, once more: its ops on other numbers, and the user's own code, called again without harm."""
