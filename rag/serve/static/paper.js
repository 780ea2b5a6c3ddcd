// One paper: copy its BibTeX.

import { copied } from "./page.js";
import "./panel.js";

const button = document.getElementById("bibtex");
button.addEventListener("click", () => copied(button, button.dataset.text));
document.querySelector("mark")?.scrollIntoView({ block: "center" });
