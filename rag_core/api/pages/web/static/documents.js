// A module, so that its names are its own. Comfort only; the page works without it. Files can be dropped, their progress is shown, and the list renews itself.

const form = document.querySelector(".upload");
const bar = form.querySelector("progress");
const PAUSE = 1500;

function show(page) {
  const renewed = new DOMParser().parseFromString(page, "text/html").getElementById("documentos");
  const old = document.getElementById("documentos");
  if (!renewed || renewed.outerHTML === old.outerHTML) return;
  old.replaceWith(renewed);
}

async function renew() {
  if (!document.querySelector("#documentos[data-waiting]")) return;
  const answer = await fetch(form.action, { headers: { Accept: "text/html" } }).catch(() => null);
  if (answer && answer.ok) show(await answer.text());
  setTimeout(renew, PAUSE);
}

// XMLHttpRequest tells how much was sent, which fetch does not.
function send(files) {
  const body = new FormData();
  for (const file of files) body.append("archivos", file);
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.upload.addEventListener("progress", (event) => { bar.value = event.lengthComputable ? (100 * event.loaded) / event.total : 0; });
  const failed = () => {
    const text = document.createElement("p");
    text.className = "problem";
    text.setAttribute("role", "alert");
    text.textContent = form.dataset.failed;
    document.getElementById("documentos").prepend(text);
  };
  request.addEventListener("load", () => {
    if (request.status < 400) show(request.responseText);
    else failed();
    setTimeout(renew, PAUSE);
  });
  request.addEventListener("error", failed);
  request.addEventListener("loadend", () => { bar.hidden = true; form.reset(); });
  bar.hidden = false;
  bar.value = 0;
  request.send(body);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send(form.elements.archivos.files);
});
form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
form.addEventListener("dragleave", () => form.classList.remove("over"));
form.addEventListener("drop", (event) => {
  event.preventDefault();
  form.classList.remove("over");
  if (event.dataTransfer.files.length) send(event.dataTransfer.files);
});
setTimeout(renew, PAUSE);
