// What all pages share: elements, requests, the theme, keys. Texts become text nodes only; nothing
// that an abstract or a model wrote is ever read as HTML.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

// An error as the server tells it, or the lack of any answer.
export class Failure extends Error {
  constructor(error) {
    super(error.message);
    this.fix = error.fix;
  }
}

async function checked(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure({ message: "The server does not answer.", fix: "see whether it runs" });
  }
  if (response.ok) return response;
  const told = await response.json().catch(() => ({}));
  const unknown = { message: `The server answered with ${response.status}.`, fix: "try again" };
  throw new Failure(told.error ?? unknown);
}

export async function get(path, parameters = {}, signal = undefined) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "" && value != null);
  const query = new URLSearchParams(given).toString();
  return (await checked(query ? `${path}?${query}` : path, { signal })).json();
}

const posting = (body, signal) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
  signal,
});

export async function post(path, body) {
  return (await checked(path, posting(body))).json();
}

// Server-sent events of a request, as [name, data]; an event "error" is thrown.
export async function* events(path, body, signal) {
  const response = await checked(path, posting(body, signal));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    held += value;
    const blocks = held.split("\n\n");
    held = blocks.pop();
    for (const block of blocks) {
      const [, name, data] = block.match(/^event: (.*)\ndata: (.*)$/) ?? [];
      if (name === "error") throw new Failure(JSON.parse(data).error);
      if (name) yield [name, JSON.parse(data)];
    }
  }
}

// What is known of a paper besides its title, the year only where its venue does not tell it.
export function facts(paper, names = ["area", "venue", "year", "status"]) {
  const told = (name) => name === "year" && `${paper.venue ?? ""}`.includes(paper.year);
  return names
    .filter((name) => paper[name] && !told(name))
    .map((name) => paper[name])
    .join(" · ");
}

export const paperLink = (paperId, spans = []) => {
  const quotes = spans.map(([start, end]) => `${start}-${end}`).join(",");
  return `/papers/${encodeURIComponent(paperId)}${quotes ? `?quotes=${quotes}` : ""}`;
};

// A text with its spans marked. Offsets count characters as Python does, not UTF-16 units.
export function marked(text, spans) {
  const characters = Array.from(text);
  const bounds = [...new Set([0, characters.length, ...spans.flat()])].sort((a, b) => a - b);
  const pieces = bounds.slice(1).map((end, i) => [bounds[i], end]);
  return pieces.map(([start, end]) => {
    const piece = characters.slice(start, end).join("");
    const quoted = spans.some(([from, to]) => from <= start && end <= to);
    return quoted ? element("mark", {}, piece) : piece;
  });
}

export function failed(error) {
  return element("p", { class: "failure", role: "alert" }, `${error.message} ${error.fix ?? ""}`);
}

export async function copied(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "The browser forbids it";
  }
  setTimeout(() => (button.textContent = before), 1500);
}

// --- theme ------------------------------------------------------------------------------------

const root = document.documentElement;
const remembered = () => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
};
if (remembered()) root.dataset.theme = remembered();
const isDark = () =>
  (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) ===
  "dark";
document.getElementById("theme")?.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // It holds for this page alone.
  }
});

// --- keys: / begins to type ---------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    const field = document.querySelector("[data-first]");
    if (field) {
      event.preventDefault();
      field.focus();
    }
  }
});
