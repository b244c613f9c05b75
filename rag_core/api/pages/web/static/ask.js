// A module, so that its names are its own. Shows an answer while it is being made. The finished one is the server's own mark-up: the page works without this file.
const form = document.querySelector(".ask");
const talk = document.getElementById("conversacion");
const announcement = document.getElementById("anuncio");
const headers = { "Content-Type": "application/json", "Accept-Language": document.documentElement.lang };

class Failure extends Error {}

function words(of) {
  const told = document.getElementById("avisos").content;
  return (told.querySelector(`[data-of="${of}"]`) || told.querySelector('[data-of="other"]')).textContent;
}

// What a refused request is told as; a question that is refused for itself has its reason in the answer.
async function refusal(answer) {
  const seconds = answer.headers.get("Retry-After") || "60";
  const text = words(String(answer.status)).replace("{espera}", words(seconds === "1" ? "second" : "seconds").replace("{segundos}", seconds));
  if (answer.status !== 400) return new Failure(text);
  const { details } = await answer.json().catch(() => ({ details: "" }));
  return new Failure(`${text} ${details}.`);
}

async function send(address, body, signal) {
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

async function* events(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) if (part.startsWith("data: ")) yield JSON.parse(part.slice("data: ".length));
  }
}

// The conversation of the page, begun with its first question.
async function session() {
  const field = form.elements.sesion;
  if (!field.value) {
    const answer = await send("/api/sessions", {});
    field.value = (await answer.json()).id;
    history.replaceState(null, "", `/preguntar?sesion=${field.value}`);
  }
  return field.value;
}

// Whoever asks again what failed wants one answer, not a list of failures.
function begin(question) {
  for (const failed of talk.querySelectorAll(".turn:has(.failed)")) {
    if (failed.querySelector("h2").textContent === question) failed.remove();
  }
  const turn = document.getElementById("en-curso").content.firstElementChild.cloneNode(true);
  turn.querySelector("h2").textContent = question;
  talk.append(turn);
  turn.scrollIntoView({ block: "nearest" });
  return turn;
}

// Gives the id of the question once its answer is whole.
async function write(turn, answer) {
  const text = turn.querySelector(".answer");
  let queryId = null;
  for await (const event of events(answer)) {
    if (event.type === "token") {
      if (!text.hasChildNodes()) turn.querySelector(".progress").textContent = words("writing");
      const sentence = document.createElement("span");
      sentence.textContent = event.content;
      text.append(sentence);
    } else if (event.type === "metadata") {
      queryId = event.metadata.queryId;
    } else if (event.type === "error") {
      throw new Failure(words("broken"));
    } else if (event.type === "done") {
      if (event.content !== text.textContent) text.textContent = event.content;
      return queryId;
    }
  }
  throw new Failure(words("broken"));
}

// Puts what the server makes of the answer in place of what was streamed. What stands before is left alone: somebody may be writing in it.
async function settle(turn, queryId) {
  const answer = await fetch(`/preguntar?sesion=${form.elements.sesion.value}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const kept = page.getElementById(`consulta-${queryId}`);
  if (!kept) return end(turn, words("unkept"));
  turn.replaceWith(kept);
  document.querySelector("h1").className = page.querySelector("h1").className;
  form.elements.pregunta.placeholder = page.getElementById("pregunta").placeholder;
  const after = document.getElementById("despues");
  if (!after.contains(document.activeElement)) after.replaceChildren(...page.getElementById("despues").children);
  announcement.textContent = kept.querySelector(".trust").textContent;
}

function end(turn, text) {
  const progress = turn.querySelector(".progress");
  progress.textContent = text;
  progress.classList.add("failed");
  turn.querySelector(".stop").remove();
  turn.querySelector(".answer").removeAttribute("aria-live");
}

async function ask(question) {
  const turn = begin(question);
  const stopping = new AbortController();
  const button = form.querySelector("button");
  const leave = () => stopping.abort();
  turn.querySelector(".stop").addEventListener("click", leave);
  addEventListener("pagehide", leave);
  button.disabled = true;
  announcement.textContent = "";
  try {
    const body = { query: question, sessionId: await session(), stream: true, topK: Number(form.dataset.sources) };
    const queryId = await write(turn, await send("/api/query", body, stopping.signal));
    if (form.elements.pregunta.value.trim() === question) form.elements.pregunta.value = ""; // else the next one is being written
    await settle(turn, queryId);
  } catch (error) {
    const isFailure = error instanceof Failure;
    end(turn, stopping.signal.aborted ? words("stopped") : isFailure ? error.message : words("offline"));
  } finally {
    removeEventListener("pagehide", leave);
    button.disabled = false;
    if ([document.body, button].includes(document.activeElement)) form.elements.pregunta.focus({ preventScroll: true });
  }
}

// A rating can be explained afterwards; after a No the field is open and waits.
function offerComment(opinion, rating, isCommented) {
  const send = opinion.querySelector(".send");
  send.hidden = false;
  send.dataset.rating = String(rating);
  if (rating !== 1 || isCommented) return;
  opinion.querySelector("details").open = true;
  opinion.elements.comentario.focus();
}

async function rate(opinion, button) {
  const body = { queryId: opinion.dataset.query, rating: Number(button.dataset.rating) };
  const comment = opinion.elements.comentario.value.trim();
  const status = opinion.querySelector(".thanks");
  try {
    await send("/api/feedback", comment ? { ...body, comment } : body);
    for (const other of opinion.querySelectorAll("[aria-pressed]")) other.setAttribute("aria-pressed", String(other.dataset.rating === button.dataset.rating));
    status.textContent = words(comment ? "commented" : "thanks");
    offerComment(opinion, body.rating, Boolean(comment));
  } catch {
    status.textContent = words("unrated");
  }
}

if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const question = form.elements.pregunta.value.trim();
    const problem = document.getElementById("problema");
    problem.hidden = true;
    form.elements.pregunta.removeAttribute("aria-invalid");
    if (question && !form.querySelector("button").disabled) ask(question);
  });

  // Enter asks; a new line takes Shift. Not while a word is being composed.
  form.elements.pregunta.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });

  talk.addEventListener("submit", (event) => {
    if (!event.target.matches(".feedback") || !event.submitter) return;
    event.preventDefault();
    rate(event.target, event.submitter);
  });

  // Examples are asked on the page too.
  document.getElementById("despues").addEventListener("click", (event) => {
    const example = event.target.closest(".questions a");
    if (!example || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    form.elements.pregunta.value = example.textContent;
    form.requestSubmit();
  });

  // A quotation of a mark in the lower half of the window keeps above it, lest it cover its mark or leave the window.
  for (const comes of ["pointerover", "focusin"]) {
    talk.addEventListener(comes, ({ target }) => {
      const cite = target.closest(".cite");
      if (!cite || target.closest(".tip")) return;
      requestAnimationFrame(() => {
        const { top, bottom } = cite.querySelector("a").getBoundingClientRect();
        cite.classList.toggle("low", top + bottom > innerHeight);
      });
    });
  }

  // Escape puts a quotation away that lies over the text, until the pointer or the keyboard comes back to its mark.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const cite of document.querySelectorAll(".cite:hover, .cite:focus-within")) {
      cite.classList.add("closed");
      for (const back of ["mouseenter", "focusin"]) {
        cite.addEventListener(back, () => cite.classList.remove("closed"), { once: true });
      }
    }
  });
}
