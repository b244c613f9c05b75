// Comfort only; the pages work without it: filters are a form, and the rows come in a useful order.
"use strict";

// A click on a column's head sorts by it, a second one the other way round.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.dataset.sort) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.dataset.sort === "down" ? "descending" : "ascending";
      const turned = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? turned : first;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      sort(table.tBodies[0], column, order === "ascending" ? 1 : -1);
    });
  });
}

function sort(body, column, sign) {
  const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  const isFigure = [...body.rows].every((row) => value(row) !== "" && !Number.isNaN(Number(value(row))));
  const compare = isFigure
    ? (a, b) => Number(value(a)) - Number(value(b))
    : (a, b) => value(a).localeCompare(value(b), document.documentElement.lang);
  body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
}

// Filters act at once; all rows are in the page, those left out are hidden.
for (const form of document.querySelectorAll("form[data-filters]")) {
  const table = document.getElementById(form.dataset.filters);
  const shown = form.querySelector("[data-shown]");
  form.querySelector("button").hidden = true;
  form.addEventListener("change", () => {
    const category = form.elements.categoria.value;
    const wanted = form.elements.solo.value;
    let count = 0;
    for (const row of table.tBodies[0].rows) {
      const fits = (!category || row.dataset.category === category)
        && (!wanted || row.dataset[wanted === "sin-acierto" ? "miss" : "behind"] === "1");
      row.hidden = !fits;
      count += fits ? 1 : 0;
    }
    shown.textContent = String(count);
  });
}

// In a report of one file a query's results are folded away at its end: a link to them unfolds them.
function unfold() {
  const wanted = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (wanted && wanted.tagName === "DETAILS") wanted.open = true;
}
addEventListener("hashchange", unfold);
unfold();
