// A value on the snapshot becomes an example. The frame runs no scripts: its clicks are heard from here.
"use strict";

function text(element) {
  return element.textContent.replace(/\s+/g, " ").trim();
}

// A field of the form that looks at the site, with its label.
function addField(list, words, name, value) {
  const item = document.createElement("li");
  const label = document.createElement("label");
  const field = document.createElement("input");
  field.name = name;
  field.value = value;
  label.append(`${words} `, field);
  item.append(label);
  document.getElementById(list).append(item);
}

function addExample(name, value) {
  addField("examples", "Column=value", "example", `${name}=${value}`);
}

// "These too" and "Not these" beside an example page; said once, looked at again at once.
function choosePages() {
  for (const [kind, list, words] of [["too", "toos", "Also of the kind"], ["not", "nots", "Not of the kind"]]) {
    for (const button of document.querySelectorAll(`button.${kind}`)) {
      button.addEventListener("click", () => {
        addField(list, words, kind, button.dataset.url);
        document.getElementById("look-button").click();
      });
    }
  }
}

function listen(frame) {
  const form = document.getElementById("picked");
  const name = document.getElementById("picked-name");
  const shown = document.getElementById("picked-value");
  let last = null;
  frame.contentDocument.addEventListener("click", (event) => {
    event.preventDefault();
    const element = event.target.closest("[data-n]");
    if (!element || !text(element)) return;
    if (last) last.removeAttribute("data-picked");
    last = element;
    element.setAttribute("data-picked", "");
    shown.textContent = text(element).slice(0, 500);
    form.hidden = false;
    name.focus();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!name.value.trim() || !shown.textContent) return;
    addExample(name.value.trim(), shown.textContent);
    name.value = "";
    form.hidden = true;
    document.getElementById("look-button").focus();
  });
}

choosePages();
const frame = document.getElementById("snapshot");
if (frame) {
  if (frame.contentDocument && frame.contentDocument.readyState === "complete" && frame.contentDocument.body.childElementCount) listen(frame);
  else frame.addEventListener("load", () => listen(frame), { once: true });
}
