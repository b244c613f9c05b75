"""Sources of an answer: what is searched, selected, compressed and put into the prompt."""
