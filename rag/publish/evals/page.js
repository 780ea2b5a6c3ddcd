"use strict";
// Chooses among the changed cases. Without it all of them are there.
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const told = document.getElementById("shown");
  const chosen = [...form.querySelectorAll("select")];
  const cases = [...document.querySelectorAll("article.case")];
  const further = document.getElementById("further");

  function choose() {
    const fits = (each) => chosen.every(({ value, dataset }) =>
      value === "" || each.dataset[dataset.facet] === value);
    for (const each of cases) each.hidden = !fits(each);
    if (further && chosen.some(({ value }) => value !== "")) further.open = true;
    const shown = cases.filter((each) => !each.hidden).length;
    told.textContent = shown === cases.length ? "" : `${shown} of ${cases.length} shown`;
  }

  form.hidden = chosen.length === 0;
  form.addEventListener("change", choose);
  form.addEventListener("submit", (event) => event.preventDefault());

  // A link to a case shows it, whatever is chosen.
  addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.hidden) { form.reset(); choose(); target.scrollIntoView(); }
  });

  choose(); // a browser may keep what was chosen before a page was loaded anew
})();
