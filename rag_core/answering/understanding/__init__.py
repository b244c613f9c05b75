"""Understanding of a question: what is asked, in which language, and whole where it is a follow-up."""
