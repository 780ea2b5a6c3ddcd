// The papers: found as one types, narrowed down, sorted, a line for each on demand.

import { element, facts, failed, get, post } from "./page.js";
import "./panel.js";

const form = document.getElementById("narrow");
const list = document.getElementById("papers");
const count = document.getElementById("count");
const more = document.getElementById("more");
const PAGE = 50;
const PAUSE = 150; // milliseconds after a key

let request = null;
let papers = [];

const wanted = () => Object.fromEntries(new FormData(form).entries());

// With words the nearest papers, best first; without, all of them in the order of the index.
async function find(offset = 0) {
  request?.abort();
  request = new AbortController();
  const { q, sort, lines, ...narrowed } = wanted();
  list.setAttribute("aria-busy", "true");
  try {
    const found = q.trim()
      ? await get("/api/search", { q, k: 100, ...narrowed }, request.signal)
      : await get("/api/papers", { offset, limit: PAGE, sort, ...narrowed }, request.signal);
    papers = offset ? [...papers, ...found.papers] : (found.papers ?? sorted(found.results, sort));
    const matched = found.matched ?? papers.length;
    count.textContent = q.trim()
      ? `the ${matched} nearest${found.note ? `. ${found.note}` : ""}`
      : `${papers.length} of ${matched.toLocaleString()} papers`;
    more.hidden = Boolean(q.trim()) || papers.length >= matched;
    list.replaceChildren(...papers.map(row));
    remember(q, sort, narrowed);
    if (lines) await write();
  } catch (error) {
    if (error.name === "AbortError") return;
    list.replaceChildren(failed(error));
    count.textContent = "";
    more.hidden = true;
  }
  list.removeAttribute("aria-busy");
}

const value = { title: (p) => p.title ?? p.handle, area: (p) => p.area ?? "", year: (p) => -(p.year ?? 0) };

function sorted(found, sort) {
  const key = value[sort];
  if (!key) return found;
  return [...found].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

function row(paper) {
  const spans = (paper.passages ?? []).slice(0, 1).map(({ start, end }) => [start, end]);
  return element(
    "li",
    { "data-id": paper.paper_id },
    element(
      "a",
      {
        class: "name",
        href: `/papers/${encodeURIComponent(paper.paper_id)}`,
        "data-paper": paper.paper_id,
        "data-spans": JSON.stringify(spans),
      },
      paper.title ?? paper.handle,
    ),
    element("span", { class: "facts" }, facts(paper)),
    paper.passages?.length && element("p", { class: "passage" }, paper.passages[0].text),
    element("p", { class: "line", hidden: true }),
  );
}

// The one-line summaries of the papers that are shown.
async function write() {
  const { summaries } = await post("/api/summaries", {
    paper_ids: papers.slice(0, 100).map((paper) => paper.paper_id),
  });
  const lines = new Map(summaries.map((made) => [made.paper_id, made.summary]));
  for (const item of list.children) {
    const line = item.querySelector(".line");
    line.textContent = lines.get(item.dataset.id) ?? "";
    line.hidden = !line.textContent;
  }
}

// The address says what is shown, so that it can be passed on.
function remember(q, sort, narrowed) {
  const given = Object.entries({ q, sort, ...narrowed }).filter(([, text]) => text);
  const query = new URLSearchParams(given).toString();
  history.replaceState(null, "", query ? `?${query}` : location.pathname);
}

let pause = null;
form.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(find, PAUSE);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  find();
});
more.addEventListener("click", () => find(papers.length));
list.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const names = [...list.querySelectorAll(".name")];
  const next = names[names.indexOf(document.activeElement) + step];
  if (next) {
    event.preventDefault();
    next.focus();
  }
});

find();
