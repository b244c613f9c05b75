"""Ask the notes with the Python client. BRAIN_URL is the API's address, BRAIN_KEY a key where it asks for one."""

import os

from rag_core.client import BrainClient


def main() -> None:
    """Print an answer, and the passages of a search."""
    url = os.environ.get("BRAIN_URL", "http://127.0.0.1:8000")
    with BrainClient(url, api_key=os.environ.get("BRAIN_KEY")) as client:
        answer = client.ask("¿Por qué se paró el ascensor?")
        print(answer.text)
        for cited in answer.citations:
            print(f"- {cited.title}: {cited.url}")
        for passage in client.search("reuniones", top_k=3):
            print(f"{passage.score:.2f} {passage.title}")


if __name__ == "__main__":
    main()
