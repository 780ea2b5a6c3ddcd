// Questions and answers in turn. What was said stays while the window is open.

import { shown } from "./answer.js";
import { element, events, failed } from "./page.js";
import "./panel.js";

const form = document.getElementById("ask");
const question = document.getElementById("question");
const log = document.getElementById("log");
const stop = document.getElementById("stop");
const KEPT = "conversation";
const MOST = 20;

let turns = []; // { asked, answer }
let under = null; // the request that is under way

const filters = () => {
  const found = {};
  for (const field of form.querySelectorAll("[data-filter]")) {
    if (field.value.trim()) {
      found[field.name] = field.type === "number" ? Number(field.value) : field.value.trim();
    }
  }
  return found;
};

function keep() {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(turns.slice(-MOST)));
  } catch {
    // A window that may keep nothing forgets.
  }
}

function place(text) {
  const body = element("div", { class: "body", "aria-busy": "true" });
  log.append(element("article", { class: "turn" }, element("h2", {}, text), body));
  document.body.classList.add("talking");
  return body;
}

async function ask(text) {
  under?.abort();
  under = new AbortController();
  const history = turns.map(({ answer }) => [answer.standalone_question, answer.text]).slice(-MOST);
  const asked = { question: text, history, filters: filters() };
  const body = place(text);
  const flow = body.appendChild(element("p", { class: "text flowing" }, ""));
  stop.hidden = false;
  try {
    for await (const [name, data] of events("/api/ask/stream", asked, under.signal)) {
      if (name === "text") flow.textContent += data.text;
      if (name === "answer") {
        turns.push({ asked, answer: data });
        keep();
        body.replaceChildren(...shown(data, asked));
      }
    }
  } catch (error) {
    const stopped = error.name === "AbortError";
    body.append(stopped ? element("p", { class: "quiet" }, "Stopped.") : failed(error));
  } finally {
    body.removeAttribute("aria-busy");
    stop.hidden = true;
  }
  body.closest("article").scrollIntoView({ block: "start" });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = question.value.trim();
  if (!text) return;
  question.value = "";
  ask(text);
});
question.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
stop.addEventListener("click", () => under?.abort());
document.getElementById("new").addEventListener("click", () => {
  under?.abort();
  turns = [];
  keep();
  log.replaceChildren();
  document.body.classList.remove("talking");
  history.replaceState(null, "", "/");
  question.focus();
});
for (const example of document.querySelectorAll("[data-example]")) {
  example.addEventListener("click", () => ask(example.textContent));
}

function begin() {
  const linked = new URLSearchParams(location.search).get("q");
  if (linked) {
    ask(linked);
    return;
  }
  try {
    turns = JSON.parse(sessionStorage.getItem(KEPT)) ?? [];
  } catch {
    turns = [];
  }
  for (const { asked, answer } of turns) {
    const body = place(asked.question);
    body.replaceChildren(...shown(answer, asked));
    body.removeAttribute("aria-busy");
  }
}

begin();
