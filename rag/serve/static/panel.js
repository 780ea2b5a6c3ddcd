// An abstract beside the page, with what is quoted of it.

import { element, facts, failed, get, marked, paperLink } from "./page.js";

const panel = document.getElementById("panel");
let opener = null;

const about = (paper) =>
  [paper.authors.join(", "), facts(paper, ["venue", "year", "status", "area"])]
    .filter(Boolean)
    .join(" · ");

// Open a paper; the focus goes there, and back to where it came from when it is closed.
export async function open(paperId, spans, from) {
  opener = from;
  panel.hidden = false;
  document.body.classList.add("beside");
  panel.replaceChildren(bar(), element("p", { class: "quiet" }, "…"));
  panel.focus();
  try {
    show(await get(`/api/papers/${encodeURIComponent(paperId)}`), spans);
  } catch (error) {
    panel.replaceChildren(bar(), failed(error));
  }
}

function show(paper, spans) {
  const title = element("a", { href: paperLink(paper.paper_id, spans) }, paper.title ?? paper.handle);
  panel.replaceChildren(
    bar(element("h2", { id: "panel-title" }, title)),
    element("p", { class: "facts" }, about(paper)),
    ...paper.suspicious.map(mark),
    element("p", { class: "abstract" }, ...marked(paper.text, spans)),
    element("p", { class: "quiet" }, place(paper.source)),
  );
  panel.querySelector("mark")?.scrollIntoView({ block: "center" });
}

const mark = ({ kind, passage }) =>
  element("p", { class: "failure" }, `This abstract has ${kind}: “${passage}”. Nothing here obeys it.`);

const place = (source) => `${source.path}, line ${source.line}`;

const bar = (title = element("span")) =>
  element(
    "div",
    { class: "panel-bar" },
    title,
    element("button", { type: "button", onclick: close }, "Close"),
  );

export function close() {
  panel.hidden = true;
  document.body.classList.remove("beside");
  opener?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !panel.hidden) close();
});

// A link to a paper opens it here, unless it is opened in a window of its own.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-paper]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  open(link.dataset.paper, JSON.parse(link.dataset.spans ?? "[]"), link);
});
