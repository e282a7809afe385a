// Asks the API what a form says, and shows the answer as text.
"use strict";

const SHOWN = 20000;

function asked(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const field of form.querySelectorAll("input")) {
    if (field.dataset.in === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
    else if (field.value) query.append(field.name, field.value);
  }
  return query.size ? `${path}?${query}` : path;
}

async function send(form, csrf) {
  const [address, body] = [asked(form), form.querySelector("textarea")];
  const headers = { "X-CSRF-Token": csrf };
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(address, { method: form.dataset.method, headers, body: body?.value });
  const kind = answer.headers.get("content-type") ?? "";
  let text = kind.startsWith("application/json") || kind.startsWith("text/") ? await answer.text() : `(${kind})`;
  try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* no JSON: as it is */ }
  const says = document.createElement("p");
  says.textContent = `${form.dataset.method} ${address}: ${answer.status}`;
  const shown = document.createElement("pre");
  shown.tabIndex = 0;
  shown.textContent = text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… and ${text.length - SHOWN} letters more` : text;
  form.querySelector(".answer").replaceChildren(says, shown);
}

const operations = document.getElementById("operations");
operations.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target, operations.dataset.csrf);
});
