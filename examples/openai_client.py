"""Ask the notes with OpenAI's client, sentence by sentence (pip install openai)."""

import os

from openai import OpenAI


def main() -> None:
    """Print an answer while it is made; its sources stand at its end."""
    url = os.environ.get("BRAIN_URL", "http://127.0.0.1:8000")
    client = OpenAI(base_url=f"{url}/v1", api_key=os.environ.get("BRAIN_KEY", "none"))
    stream = client.chat.completions.create(
        model="brain-sync", messages=[{"role": "user", "content": "¿Por qué se paró el ascensor?"}], stream=True
    )
    for chunk in stream:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
    print()


if __name__ == "__main__":
    main()
