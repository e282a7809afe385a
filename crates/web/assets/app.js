// What pages do beyond links and forms: progress of a run as it comes, and names of columns in the address.
"use strict";

function watchRun() {
  const run = document.getElementById("run");
  if (!run || !["queued", "running"].includes(run.dataset.state)) return;
  const put = (id, text) => { document.getElementById(id).textContent = text; };
  const events = new EventSource(run.dataset.events);
  events.onmessage = (event) => {
    const now = JSON.parse(event.data);
    put("now-state", now.state);
    put("now-stage", now.stage);
    put("now-found", now.found);
    put("now-read", now.read);
    put("now-pages", now.pages);
    put("now-looked", now.looked);
    put("now-pause", now.pause_ms);
    put("now-end", now.end === null ? "–" : `${now.end} UTC`);
    document.getElementById("now-bar").value = now.percent;
    if (!["queued", "running"].includes(now.state)) {
      events.close();
      location.reload();
    }
  };
}

// `as=column:name` is made of the fields beside the columns; a colon in a column's name is written as %3A.
function nameColumns() {
  const form = document.getElementById("columns");
  if (!form) return;
  form.addEventListener("formdata", (event) => {
    for (const field of form.querySelectorAll("input.name")) {
      const column = field.dataset.column.replaceAll("%", "%25").replaceAll(":", "%3A");
      if (field.value) event.formData.append("as", `${column}:${field.value}`);
    }
  });
}

function sayWaiting() {
  const form = document.getElementById("look");
  if (form) form.addEventListener("submit", () => { form.querySelector(".waits").hidden = false; });
}

watchRun();
nameColumns();
sayWaiting();
