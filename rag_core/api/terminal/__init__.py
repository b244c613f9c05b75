"""The contract of `brain search` and `brain ask`: routes for the commands of this home, which show a key that its secret gives."""
