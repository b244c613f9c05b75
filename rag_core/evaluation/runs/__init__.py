"""Evaluation runs: queries asked, metrics computed, results stored."""
