// Sorts a table by the column whose title is clicked: numbers greatest first, words from A to Z, and in reverse on the next click.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => {
    head.querySelector("button").addEventListener("click", () => {
      const body = table.tBodies[0];
      const rows = [...body.rows];
      const isNumber = rows[0]?.cells[at].dataset.value !== undefined;
      const first = isNumber ? "descending" : "ascending";
      const other = isNumber ? "ascending" : "descending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      const sign = order === "ascending" ? 1 : -1;
      const compare = (a, b) =>
        isNumber ? a.dataset.value - b.dataset.value : a.textContent.localeCompare(b.textContent, "en");
      rows.sort((a, b) => sign * compare(a.cells[at], b.cells[at]));
      for (const one of heads) one.setAttribute("aria-sort", one === head ? order : "none");
      body.append(...rows);
    });
  });
}
