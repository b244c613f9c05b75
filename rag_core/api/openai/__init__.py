"""The contract of OpenAI's clients: /v1/models and /v1/chat/completions, answered from one's notes."""
