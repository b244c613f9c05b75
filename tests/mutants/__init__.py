"""One planted defect a property: proof that its tests can fail.

``defects`` lists them; ``planting`` copies ``rag_core``, plants one and runs the tests of its property on the copy.
``python -m tests.mutants`` does so for all forty, two at a time.
"""
