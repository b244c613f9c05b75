"""Answers by quotation: selection of the sentences that answer a question."""
