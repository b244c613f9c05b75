"""The contract of AuroraNotes: POST /chat."""
