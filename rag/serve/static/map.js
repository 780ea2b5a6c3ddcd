// The map of all papers: a topic can be picked out, a mark opens its paper.

import { lens } from "./lens.js";
import { element, failed, get } from "./page.js";
import { open } from "./panel.js";

const figure = document.getElementById("map");
const told = document.getElementById("told");
const topics = document.getElementById("topics");

async function draw() {
  const drawn = await get("/api/map");
  const page = new DOMParser().parseFromString(drawn.svg, "text/html"); // which runs no script
  figure.replaceChildren(document.importNode(page.querySelector("svg"), true));
  for (const [name, act] of Object.entries(lens(figure, figure.querySelector("svg")))) {
    document.getElementById(name).addEventListener("click", act);
  }
  told.textContent = `${drawn.topics.length} topics`;
  topics.replaceChildren(...drawn.topics.map(button));
}

const button = (topic, i) =>
  element(
    "li",
    {},
    element(
      "button",
      { type: "button", "aria-pressed": "false", onclick: (event) => pick(event.currentTarget, i) },
      element("span", { class: `swatch hue${i % 8}` }),
      ` ${topic.name} `,
      element("span", { class: "number" }, topic.papers),
    ),
  );

function pick(chosen, topic) {
  const again = chosen.getAttribute("aria-pressed") === "true";
  for (const other of topics.querySelectorAll("button")) other.setAttribute("aria-pressed", "false");
  chosen.setAttribute("aria-pressed", String(!again));
  const map = figure.querySelector("svg");
  map.classList.toggle("dimmed", !again);
  for (const mark of map.querySelectorAll(".mark")) {
    mark.classList.toggle("kept", mark.dataset.topic === String(topic));
  }
}

figure.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const [, id] = link.getAttribute("href").match(/^\/papers\/(.*)$/);
  open(decodeURIComponent(id), [], link);
});

for (const kind of ["pointerover", "focusin"]) {
  figure.addEventListener(kind, (event) => {
    const name = event.target.closest("a")?.getAttribute("aria-label");
    if (name) told.textContent = name;
  });
}

draw().catch((error) => told.replaceChildren(failed(error)));
