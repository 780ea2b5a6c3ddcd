"use strict";
// Shows what a citation rests on, marked in its abstract, and what a mark of the map stands for.
// Without it the page is whole: a citation then leads to the abstract at the end.
(() => {
  const card = document.getElementById("card");
  const tip = document.getElementById("tip");
  let owner = null; // the citation that the card belongs to
  let timer = 0;
  let leaving = false; // whether the focus is being given back, which opens nothing

  const later = (action, delay) => { clearTimeout(timer); timer = setTimeout(action, delay); };
  const cited = (event) => event.target.closest?.("a.cite");
  const within = (node) => node && (card.contains(node) || node === owner || owner?.contains(node));

  // Offsets count characters as Python does, not the halves of which JavaScript counts them.
  function marked(text, spans) {
    const characters = Array.from(text);
    const covered = new Array(characters.length).fill(false);
    for (const span of spans.split(" ")) {
      const [start, end] = span.split("-").map(Number);
      covered.fill(true, start, end);
    }
    const found = document.createDocumentFragment();
    for (let at = 0, from = 0; at < characters.length; from = at) {
      while (at < characters.length && covered[at] === covered[from]) at++;
      const piece = document.createTextNode(characters.slice(from, at).join(""));
      const parent = covered[from] ? found.appendChild(document.createElement("mark")) : found;
      parent.appendChild(piece);
    }
    return found;
  }

  function show(cite) {
    clearTimeout(timer);
    if (owner === cite) return;
    hide();
    const source = document.getElementById(cite.hash.slice(1));
    const copy = source.cloneNode(true);
    const abstract = copy.querySelector(".abstract");
    abstract.replaceChildren(marked(abstract.textContent, cite.dataset.spans));
    card.replaceChildren(...copy.children);
    card.hidden = false;
    owner = cite;
    cite.setAttribute("aria-expanded", "true");
    place(cite.getBoundingClientRect());
    const first = card.querySelector("mark");
    card.scrollTop = first ? first.offsetTop - card.clientHeight / 3 : 0;
    if (first) first.id = "quote";
    cite.setAttribute("aria-describedby", "quote");
  }

  // Under the citation, above it where there is more room; never beyond the window.
  function place(box) {
    const { offsetWidth: width, offsetHeight: height } = card;
    const below = innerHeight - box.bottom > height + 16 || box.top < innerHeight / 2;
    const left = Math.min(box.left - 24, innerWidth - width - 16);
    const top = below ? Math.min(box.bottom + 8, innerHeight - height - 8) : box.top - height - 8;
    card.style.left = `${Math.max(left, 16)}px`;
    card.style.top = `${Math.max(top, 8)}px`;
  }

  function hide() {
    clearTimeout(timer);
    if (!owner) return;
    owner.setAttribute("aria-expanded", "false");
    owner.removeAttribute("aria-describedby");
    owner = null;
    card.hidden = true;
  }

  // Closes the card; where the focus is in it, it goes back to the citation, which stays closed.
  function leave() {
    const back = card.contains(document.activeElement) ? owner : null;
    hide();
    leaving = true;
    back?.focus({ preventScroll: true });
    leaving = false;
  }

  // Whether a key moves the focus out of the card, which stands at the end of the page.
  function leaves(event) {
    const last = [...card.querySelectorAll("a")].pop() ?? card;
    return event.key === "Tab" && event.target === (event.shiftKey ? card : last);
  }

  // Where scripts run, a citation is a button that opens the card, by pointer, key or touch.
  for (const cite of document.querySelectorAll("a.cite")) {
    cite.setAttribute("role", "button");
    cite.setAttribute("aria-haspopup", "dialog");
    cite.setAttribute("aria-expanded", "false");
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const cite = cited(event);
    if (cite) later(() => show(cite), owner ? 0 : 90);
    else if (within(event.target)) clearTimeout(timer);
    else if (owner && !within(document.activeElement)) later(hide, 220);
    else if (!owner) clearTimeout(timer);
  });

  document.addEventListener("focusin", (event) => {
    const cite = cited(event);
    if (leaving) return;
    if (cite?.matches(":focus-visible")) show(cite);
    else if (owner && !within(event.target)) hide();
  });

  document.addEventListener("click", (event) => {
    const cite = cited(event);
    if (!cite) {
      if (!within(event.target) || event.target.closest("a")) hide();
      return;
    }
    event.preventDefault();
    const again = owner === cite && event.detail > 0 && event.pointerType === "touch";
    if (again) return hide();
    show(cite);
    card.focus({ preventScroll: true });
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === " " && cited(event)) {
      event.preventDefault();
      event.target.click();
    } else if (owner && (event.key === "Escape" || leaves(event))) {
      event.preventDefault();
      leave();
    }
  });

  addEventListener("scroll", () => {
    if (owner) place(owner.getBoundingClientRect());
  }, { passive: true });

  // On a narrow page long contents would stand before everything else.
  const contents = document.querySelector("nav details");
  if (matchMedia("(max-width: 63.99rem)").matches && contents.offsetHeight > innerHeight / 2) {
    contents.open = false;
  }

  // A link may lead into what is folded up.
  function unfold() {
    let node = document.getElementById(location.hash.slice(1));
    const target = node;
    for (; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    target?.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  if (location.hash) unfold();

  // A row of the list of topics brings out their marks on the map.
  for (const row of document.querySelectorAll("svg .row")) {
    const map = document.querySelector("svg.map");
    const marks = map.querySelector(`.mark[data-topic="${row.dataset.topic}"]`);
    for (const type of ["pointerenter", "pointerleave"]) {
      row.addEventListener(type, () => {
        map.classList.toggle("dimmed", type === "pointerenter");
        marks?.classList.toggle("kept", type === "pointerenter");
      });
    }
  }

  // A mark tells what its entry says.
  for (const map of document.querySelectorAll("svg.map")) {
    map.addEventListener("pointerover", (event) => {
      const mark = event.target.closest("a");
      const entry = mark && document.getElementById(mark.href.baseVal.slice(1));
      if (event.pointerType !== "mouse" || !entry) return;
      const title = document.createElement("b");
      title.textContent = entry.querySelector("h4").textContent;
      tip.replaceChildren(title, entry.querySelector(".line").firstChild.textContent);
      tip.hidden = false;
      event.target.addEventListener("pointerout", () => { tip.hidden = true; }, { once: true });
    });
    map.addEventListener("pointermove", (event) => {
      const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 12);
      const above = event.clientY + 18 + tip.offsetHeight > innerHeight;
      tip.style.left = `${Math.max(left, 8)}px`;
      tip.style.top = `${above ? event.clientY - tip.offsetHeight - 12 : event.clientY + 18}px`;
    });
  }
})();
