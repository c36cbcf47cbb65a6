// Keeps the page up to date, counts the clocks, and sends what is clicked. All markup comes from the server, which escapes
// every text in it; the page's policy runs no script in it.
const main = document.querySelector("main");
const notice = document.getElementById("notice");
const spoken = document.getElementById("spoken");
const filters = document.getElementById("filters");
const { day, today } = main.dataset;
const dayQuery = today === "true" ? "" : `day=${day}`;
const shown = new Map();
const sorted = new Map();

// The regions that have changed. Where the focus is, which events are open and how a table is sorted stays as it was.
const stream = new EventSource(`events?${dayQuery}`);
stream.onopen = () => document.body.classList.remove("lost");
stream.onerror = () => document.body.classList.add("lost");
stream.onmessage = ({ data }) => {
  const { regions, title, count } = JSON.parse(data);
  for (const [name, markup] of Object.entries(regions)) if (name !== "log" || !isFiltered()) show(name, markup);
  if (title !== undefined && title !== document.title) {
    document.title = title;
    document.getElementById("icon").href = `icon.svg?n=${count}`;
    spoken.textContent = count === 0 ? "No session is waiting for you." : `${count} waiting for you.`;
  }
};

function show(name, markup) {
  if (shown.get(name) === markup) return;
  const region = document.getElementById(name);
  const isFirst = !shown.has(name);
  shown.set(name, markup);
  const focused = region.contains(document.activeElement) ? document.activeElement.id : "";
  const scrolled = region.querySelector(".scroll")?.scrollLeft ?? 0;
  const known = new Set([...region.querySelectorAll("[id]")].map(({ id }) => id));
  const template = document.createElement("template");
  template.innerHTML = markup;
  for (const open of region.querySelectorAll("details[open]"))
    template.content.getElementById(open.id)?.replaceWith(open);
  for (const wait of template.content.querySelectorAll(".wait"))
    wait.classList.toggle("fresh", !isFirst && !known.has(wait.id));
  region.replaceChildren(template.content);
  for (const table of region.querySelectorAll("table[data-sortable]")) sort(table);
  const scroll = region.querySelector(".scroll");
  if (scroll !== null) scroll.scrollLeft = scrolled;
  if (focused !== "") document.getElementById(focused)?.focus({ preventScroll: true });
  tick();
}

// The clocks of what waits.
function tick() {
  for (const clock of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - clock.dataset.since) / 1000));
    const two = (part) => String(part % 60).padStart(2, "0");
    const minutes = Math.floor(seconds / 60);
    const short = minutes > 0 ? `${minutes} min ${two(seconds)} s` : `${seconds} s`;
    const text = minutes < 60 ? short : `${Math.floor(minutes / 60)} h ${two(minutes)} min`;
    if (clock.textContent !== text) clock.textContent = text;
  }
}
setInterval(tick, 1000);

// Tables: numbers greatest first, names from A to Z, and in reverse on the next click.
function sort(table) {
  const order = sorted.get(table.dataset.sortable);
  if (order === undefined) return;
  const heads = [...table.tHead.rows[0].cells];
  const at = heads.findIndex((head) => head.textContent === order.title);
  if (at < 0) return;
  const isNumber = at > 0;
  const sign = order.direction === "descending" ? -1 : 1;
  const compare = (a, b) => (isNumber ? a - b : a.localeCompare(b));
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => sign * compare(a.cells[at].dataset.value, b.cells[at].dataset.value));
  for (const head of heads) head.ariaSort = head === heads[at] ? order.direction : "none";
  table.tBodies[0].append(...rows);
}

function sortBy(button) {
  const table = button.closest("table");
  const head = button.closest("th");
  const first = head.cellIndex > 0 ? "descending" : "ascending";
  const other = first === "descending" ? "ascending" : "descending";
  sorted.set(table.dataset.sortable, {
    title: head.textContent,
    direction: head.ariaSort === first ? other : first,
  });
  sort(table);
}

async function act(button) {
  button.disabled = true;
  try {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: button.dataset.body };
    const { text } = await (await fetch(button.dataset.act, request)).json();
    say(text);
  } catch {
    say("beckon did not answer; is the board still running?");
  } finally {
    button.disabled = false;
  }
}

let quiet;
function say(text) {
  notice.textContent = text;
  clearTimeout(quiet);
  quiet = setTimeout(() => notice.replaceChildren(), 8000);
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.act !== undefined) void act(button);
  else if (button?.dataset.sort !== undefined) sortBy(button);
});

// An event's story, when it is opened.
document.addEventListener(
  "toggle",
  async ({ target }) => {
    if (!target.open || target.dataset.event === undefined) return;
    const response = await fetch(`event?id=${encodeURIComponent(target.dataset.event)}`);
    const template = document.createElement("template");
    if (response.ok) template.innerHTML = await response.text();
    else template.content.append((await response.json()).text);
    target.querySelector(".story").replaceChildren(template.content);
  },
  true,
);

// The log's filters.
const isFiltered = () => [...new FormData(filters).values()].some((value) => value.trim() !== "");
let asked = 0;
async function filter() {
  asked += 1;
  const turn = asked;
  const query = new URLSearchParams([...new FormData(filters), ...new URLSearchParams(dayQuery)]);
  const markup = await (await fetch(`log?${query}`)).text();
  if (turn === asked) show("log", markup);
}
let typed;
filters.addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(filter, 120);
});
filters.addEventListener("submit", (event) => event.preventDefault());

// Other days by arrow keys, the search by a slash.
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select, textarea, .scroll") !== null;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = { ArrowLeft: "previous-day", ArrowRight: "next-day" };
  if (event.key === "/") {
    event.preventDefault();
    filters.elements.words.focus();
  } else if (event.key in links) document.getElementById(links[event.key])?.click();
});
