// Digests: make one while its progress is told, and compare two that are kept.

import { element, events, failed } from "./page.js";

const form = document.getElementById("make");
const told = document.getElementById("told");
const bar = document.getElementById("progress");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const topic = new FormData(form).get("topic").trim();
  if (!topic) return;
  const button = form.querySelector("button");
  button.disabled = true;
  bar.hidden = false;
  bar.removeAttribute("value");
  told.replaceChildren("Looking for papers …");
  try {
    for await (const [name, data] of events("/api/digests/stream", { topic })) {
      if (name === "progress") {
        told.textContent = `${data.what}: ${data.done} of ${data.total}`;
        bar.max = data.total;
        bar.value = data.done;
      }
      if (name === "digest") location.assign(`/digests/${data.id}`);
    }
  } catch (error) {
    told.replaceChildren(failed(error));
  } finally {
    button.disabled = false;
    bar.hidden = true;
  }
});

const compare = document.getElementById("compare");
compare?.addEventListener("submit", (event) => {
  const chosen = [...compare.querySelectorAll("input:checked")].map((box) => box.value);
  if (chosen.length === 2) return;
  event.preventDefault();
  const status = compare.querySelector("[role=status]");
  status.replaceChildren(element("span", {}, "Choose two digests."));
});
