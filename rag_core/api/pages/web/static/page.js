// Comfort only; the page works without it.
"use strict";

// "/" puts the cursor into the search box, as on other search pages.
document.addEventListener("keydown", (event) => {
  const box = document.getElementById("q");
  const typing = event.target.closest("input:not([type=radio]), textarea, select, [contenteditable]");
  if (event.key !== "/" || !box || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  box.focus();
  box.select();
});

// Choosing a strategy with the pointer searches again at once. With the arrow keys it does not: each step would.
const modes = document.querySelector(".modes");
if (modes) {
  let byPointer = false;
  modes.addEventListener("pointerdown", () => { byPointer = true; });
  modes.addEventListener("keydown", () => { byPointer = false; });
  modes.addEventListener("change", () => {
    const form = modes.closest("form");
    if (byPointer && form.elements.q.value.trim()) form.requestSubmit();
  });
}

// Fields left empty stay out of the address. They are put back for whoever comes back to the page.
const form = document.querySelector(".search");
if (form) {
  form.addEventListener("submit", () => {
    for (const field of form.querySelectorAll(".conditions input")) field.disabled = !field.value;
  });
  addEventListener("pageshow", () => {
    for (const field of form.querySelectorAll(".conditions input")) field.disabled = false;
  });
}

// An opinion is sent without leaving the page.
for (const opinion of document.querySelectorAll(".opinion")) {
  opinion.addEventListener("submit", async (event) => {
    event.preventDefault();
    const address = event.submitter ? event.submitter.formAction : opinion.action;
    const answer = await fetch(address, { method: "POST" }).catch(() => null);
    const text = document.createElement("p");
    text.setAttribute("role", "status");
    text.textContent = answer && answer.ok ? opinion.dataset.thanks : opinion.dataset.failed;
    opinion.replaceChildren(text);
  });
}

// A page of an original that cannot be shown is told instead of a broken picture.
for (const picture of document.querySelectorAll(".original img")) {
  const tell = () => {
    const figure = picture.closest("figure");
    figure.querySelector(".problem").hidden = false;
    picture.closest("a").hidden = true;
  };
  picture.addEventListener("error", tell);
  if (picture.complete && !picture.naturalWidth) tell();
}
