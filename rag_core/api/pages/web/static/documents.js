// A module, so that its names are its own. Comfort only; the page works without it. Files can be dropped, their progress is shown, and
// the list renews itself.
const form = document.querySelector(".upload");
const bar = form.querySelector("progress");
const problems = document.getElementById("problemas");
const PAUSE = 1500;
let timer = 0;

function show(page) {
  const read = new DOMParser().parseFromString(page, "text/html");
  const renewed = read.getElementById("documentos");
  const old = document.getElementById("documentos");
  if (renewed && renewed.outerHTML !== old.outerHTML) old.replaceWith(renewed);
  for (const told of read.querySelectorAll("#problemas > *")) problems.append(told);
}

function tell(text) {
  const told = document.createElement("p");
  told.className = "problem";
  told.setAttribute("role", "alert");
  told.textContent = text;
  problems.append(told);
}

function reasonIn(answer) {
  try {
    return JSON.parse(answer).details;
  } catch {
    return form.dataset.failed;
  }
}

async function renew() {
  if (!document.querySelector("#documentos[data-waiting]")) return;
  const answer = await fetch(form.action, { headers: { Accept: "text/html" } }).catch(() => null);
  if (answer && answer.ok) show(await answer.text());
  watch();
}

function watch() {
  clearTimeout(timer);
  timer = setTimeout(renew, PAUSE);
}

// XMLHttpRequest tells how much was sent, which fetch does not.
function sendOne(file, done, all) {
  return new Promise((resolve) => {
    const body = new FormData();
    body.append("archivos", file);
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.upload.addEventListener("progress", (event) => {
      bar.value = (100 * (done + (event.lengthComputable ? event.loaded / event.total : 0))) / all;
    });
    request.addEventListener("load", () => {
      if (request.status < 400) show(request.responseText);
      else tell(`${file.name}: ${reasonIn(request.responseText)}`);
    });
    request.addEventListener("error", () => tell(`${file.name}: ${form.dataset.failed}`));
    request.addEventListener("loadend", resolve);
    request.send(body);
  });
}

async function send(files) {
  problems.replaceChildren();
  bar.hidden = false;
  bar.value = 0;
  for (const [place, file] of files.entries()) await sendOne(file, place, files.length);
  bar.hidden = true;
  form.reset();
  watch();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send([...form.elements.archivos.files]);
});
form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
form.addEventListener("dragleave", () => form.classList.remove("over"));
form.addEventListener("drop", (event) => {
  event.preventDefault();
  form.classList.remove("over");
  send([...event.dataTransfer.files]);
});
watch();
