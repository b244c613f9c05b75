// Comfort only; the page works without it.
"use strict";

// The arrows go from node to node: up and down within a column, left and right to the nearest in the next one. The lines of a node
// that has the focus or the pointer stand out.
const drawing = document.querySelector(".drawing svg");
if (drawing) {
  const columns = [...drawing.querySelectorAll(".column")].map((column) => [...column.querySelectorAll("a")]);
  const height = (node) => node.querySelector("rect").y.baseVal.value;
  const edges = [...drawing.querySelectorAll(".edges path")].map((path) => [path, path.dataset.ends.split(" ")]);

  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    const node = event.target.closest(".column a");
    if (!step || !node || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const at = columns.findIndex((column) => column.includes(node));
    const column = columns[at + step[0]] || [];
    const next = step[0]
      ? column.reduce((best, one) => best && Math.abs(height(best) - height(node)) <= Math.abs(height(one) - height(node)) ? best : one, null)
      : column[column.indexOf(node) + step[1]];
    if (next) next.focus();
  });

  const stress = (node) => {
    for (const [path, ends] of edges) path.classList.toggle("lit", Boolean(node) && ends.includes(node.id.slice(1)));
  };
  for (const kind of ["focusin", "pointerover"]) drawing.addEventListener(kind, (event) => stress(event.target.closest(".column a")));
  drawing.addEventListener("focusout", () => stress(null));
}
