"""Values of the domain, a module a subject. They do no I/O and import nothing of ours but each other.

Offsets are code points of the stored, NFC-normalised text, half-open: ``note.content[start:end]``.
"""
