// The place of a value on the page it was read from. The frame runs no scripts: it is scrolled from here.
"use strict";

function show(frame, attribute) {
  const page = frame.contentDocument;
  const says = document.getElementById("shown-value");
  for (const old of page.querySelectorAll("[data-picked]")) old.removeAttribute("data-picked");
  const place = [...page.querySelectorAll("[data-mark]")].find((own) => own.dataset.mark.split(", ").includes(attribute));
  if (!place) {
    says.textContent = `${attribute} does not stand on the page as a text.`;
    return;
  }
  says.textContent = "";
  place.setAttribute("data-picked", "");
  frame.scrollIntoView({ block: "nearest" });
  place.scrollIntoView({ block: "center" });
}

const frame = document.getElementById("snapshot");
for (const button of document.querySelectorAll("button.show")) {
  button.addEventListener("click", () => show(frame, button.dataset.attribute));
}
