// An answer as it is shown: its sentences with their markers, its sources, what can be done with it.

import { copied, element, paperLink, post } from "./page.js";

const REFUSED = new Set(["not_in_abstracts", "not_in_corpus"]);

export function shown(answer, asked) {
  const refused = REFUSED.has(answer.outcome);
  return [
    understood(answer),
    element("div", { class: refused ? "text refused" : "text" }, ...lines(answer)),
    ...answer.notes.map((note) => element("p", { class: "note" }, note)),
    sources(answer, refused),
    actions(answer, asked),
  ].filter(Boolean);
}

const understood = (answer) =>
  answer.standalone_question !== answer.question &&
  element("p", { class: "quiet" }, `Understood as: ${answer.standalone_question}`);

// The text line by line. A statement that no quote supports is marked where it stands.
function lines(answer) {
  const rest = [...answer.statements];
  const said = answer.text.split("\n").filter((line) => line.trim());
  const blocks = [];
  let list = null;
  for (const line of said) {
    const item = line.match(/^\s*- (.*)$/);
    const inside = sentences(item ? item[1] : line, rest, answer);
    if (!item) {
      list = null;
      blocks.push(element("p", {}, ...inside));
      continue;
    }
    if (!list) blocks.push((list = element("ul")));
    list.append(element("li", {}, ...inside));
  }
  return blocks;
}

// The statements that stand in a line, each followed by its markers. A long list shows some of
// them, and in an order of its own.
function sentences(line, rest, answer) {
  const made = [];
  let at = 0;
  for (;;) {
    const [start, statement] = first(line, rest, at);
    if (!statement) break;
    rest.splice(rest.indexOf(statement), 1);
    made.push(...named(line.slice(at, start), answer));
    at = start + statement.text.length;
    const after = following(line.slice(at), statement.citations);
    made.push(sentence(statement), ...markers(after, statement.citations, answer));
    at += after.length;
  }
  return [...made, ...named(line.slice(at), answer)];
}

// The statement that begins first in a line from a place on; of several there, the longest.
function first(line, rest, at) {
  const places = rest
    .map((statement) => [line.indexOf(statement.text, at), statement])
    .filter(([start]) => start >= 0);
  const order = ([a, one], [b, other]) => a - b || other.text.length - one.text.length;
  return places.sort(order)[0] ?? [-1, null];
}

// The markers right behind a statement that are its own. What looks like one in an abstract's
// words is part of the words.
function following(text, citations) {
  const own = new Set(citations.map((citation) => citation.number));
  let length = 0;
  for (const found of text.matchAll(/\s*\[(\d+)\]/gy)) {
    if (!own.delete(Number(found[1]))) break;
    length += found[0].length;
  }
  return text.slice(0, length);
}

// Text outside of statements, such as a refusal's: a marker counts only behind its paper's name.
function named(text, answer) {
  const made = [];
  let at = 0;
  for (const found of text.matchAll(/ \[(\d+)\]/g)) {
    const paper = answer.sources[found[1] - 1];
    const names = [paper?.title, paper?.handle].filter(Boolean);
    if (!names.some((name) => text.slice(at, found.index).endsWith(name))) continue;
    made.push(`${text.slice(at, found.index)} `, cite(Number(found[1]), paper, []));
    at = found.index + found[0].length;
  }
  return [...made, text.slice(at)];
}

const sentence = (statement) =>
  statement.supported
    ? statement.text
    : element(
        "span",
        { class: "unsupported", title: "No quote carries this sentence." },
        statement.text,
        element("span", { class: "tag" }, " unsupported"),
      );

// The markers of a text as links to what is cited; all else stays as it is.
function markers(text, citations, answer) {
  return text.split(/(\[\d+\])/).map((piece) => {
    const number = Number(piece.match(/^\[(\d+)\]$/)?.[1]);
    const paper = answer.sources[number - 1];
    if (!paper) return piece;
    const cited = citations.filter((citation) => citation.number === number);
    return cite(number, paper, cited.map(({ start, end }) => [start, end]));
  });
}

const cite = (number, paper, spans) =>
  element(
    "a",
    {
      class: "cite",
      href: paperLink(paper.paper_id, spans),
      "data-paper": paper.paper_id,
      "data-spans": JSON.stringify(spans),
      "aria-label": `Source ${number}: ${paper.title ?? paper.handle}`,
    },
    `[${number}]`,
  );

function sources(answer, refused) {
  if (!answer.sources.length) return null;
  const items = answer.sources.map((paper, i) => {
    const spans = answer.statements
      .flatMap((statement) => statement.citations)
      .filter((citation) => citation.number === i + 1)
      .map(({ start, end }) => [start, end]);
    const properties = {
      href: paperLink(paper.paper_id, spans),
      "data-paper": paper.paper_id,
      "data-spans": JSON.stringify(spans),
    };
    const facts = [paper.area, paper.venue].filter(Boolean).join(" · ");
    return element(
      "li",
      {},
      element("a", properties, paper.title ?? paper.handle),
      element("span", { class: "quiet" }, facts && ` ${facts}`),
    );
  });
  const summary = refused ? "The nearest papers" : `Sources (${items.length})`;
  const open = refused || items.length <= 5;
  return element(
    "details",
    { class: "sources", open },
    element("summary", {}, summary),
    element("ol", {}, ...items),
  );
}

const thumb = (way) =>
  element("img", { src: `/static/thumb-${way}.svg`, alt: way === "up" ? "A good answer" : "A bad answer" });

function actions(answer, asked) {
  const remark = element("input", {
    "aria-label": "What is wrong or right with this answer?",
    placeholder: "What is wrong with it?",
    maxlength: "2000",
    hidden: true,
  });
  const told = element("span", { class: "quiet", role: "status" });
  const judge = async (good) => {
    try {
      await post("/api/feedback", { asked, good, remark: remark.value });
      told.textContent = "Noted; rag eval draft makes a case of it.";
      remark.hidden = true;
    } catch (error) {
      told.textContent = error.message;
    }
  };
  const bad = element("button", { type: "button", title: "A bad answer" }, thumb("down"));
  bad.addEventListener("click", () => {
    if (!remark.hidden) return judge(false);
    remark.hidden = false;
    remark.focus();
  });
  remark.addEventListener("keydown", (event) => event.key === "Enter" && judge(false));
  return element(
    "div",
    { class: "actions" },
    element(
      "button",
      { type: "button", onclick: (event) => copied(event.target, markdown(answer)) },
      "Copy as Markdown",
    ),
    element(
      "button",
      { type: "button", onclick: (event) => copied(event.target, link(answer, asked)) },
      "Copy link",
    ),
    element("button", { type: "button", title: "A good answer", onclick: () => judge(true) }, thumb("up")),
    bad,
    remark,
    told,
  );
}

// A link that asks the question again, as it was understood.
export function link(answer, asked) {
  const filters = Object.entries(asked.filters).filter(([, value]) => value);
  const query = new URLSearchParams([["q", answer.standalone_question], ...filters]);
  return `${location.origin}/?${query}`;
}

const SPECIAL =
  /[\\`*_{}<>#|~$&!]|\[(?!\d{1,3}\](?![(:]))|(?<=https?|ftp):|(?<=www)\.|(?<=\w)@(?=\w)/gi;

const plain = (text) => text.replace(SPECIAL, "\\$&");

// The answer with its references, in which no text has a meaning of its own.
export function markdown(answer) {
  const references = answer.sources.map((paper, i) => {
    const url = /^https?:\/\/[^\s<>]+$/.test(paper.url ?? "") ? ` <${paper.url}>` : "";
    const quotes = answer.statements
      .flatMap((statement) => statement.citations)
      .filter((citation) => citation.number === i + 1)
      .map((citation) => `   > ${plain(citation.quote)}`);
    return [`${i + 1}. ${plain(paper.title ?? paper.handle)}${url}`, ...quotes].join("\n");
  });
  return [`**${plain(answer.question)}**`, plain(answer.text), references.join("\n")].join("\n\n");
}
