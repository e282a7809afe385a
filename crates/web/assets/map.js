// The picture of a site: zoom with buttons, keys or the wheel, move by dragging, light up what a class leads to.
"use strict";

function zoomable(svg) {
  const whole = { x: 0, y: 0, w: Number(svg.dataset.width), h: Number(svg.dataset.height) };
  const wide = svg.getBoundingClientRect().width >= 600;
  // On a phone names would be too small to read: begin with the entry.
  let view = wide ? { ...whole } : { x: 0, y: 0, w: 460, h: 460 };
  const show = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  const zoom = (factor, cx = view.x + view.w / 2, cy = view.y + view.h / 2) => {
    const w = Math.min(Math.max(view.w * factor, 150), whole.w * 2);
    const own = w / view.w;
    view = { x: cx - (cx - view.x) * own, y: cy - (cy - view.y) * own, w, h: view.h * own };
    show();
  };
  const move = (dx, dy) => { view.x += dx * view.w; view.y += dy * view.h; show(); };
  show();
  document.getElementById("zoom-in").addEventListener("click", () => zoom(0.7));
  document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 0.7));
  document.getElementById("zoom-all").addEventListener("click", () => { view = { ...whole }; show(); });
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 0.85 : 1 / 0.85, view.x + (event.clientX - box.x) / box.width * view.w, view.y + (event.clientY - box.y) / box.height * view.h);
  }, { passive: false });
  const keys = { "+": () => zoom(0.7), "-": () => zoom(1 / 0.7), 0: () => { view = { ...whole }; show(); }, ArrowLeft: () => move(-0.1, 0), ArrowRight: () => move(0.1, 0), ArrowUp: () => move(0, -0.1), ArrowDown: () => move(0, 0.1) };
  svg.parentElement.addEventListener("keydown", (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  dragged(svg, (dx, dy) => { const box = svg.getBoundingClientRect(); move(-dx / box.width, -dy / box.height); });
}

// A press that moved is no click.
function dragged(svg, move) {
  let last = null, moved = false;
  svg.addEventListener("pointerdown", (event) => { last = [event.clientX, event.clientY]; moved = false; });
  window.addEventListener("pointermove", (event) => {
    if (!last) return;
    const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
    if (!moved && Math.hypot(dx, dy) < 4) return;
    moved = true;
    move(dx, dy);
    last = [event.clientX, event.clientY];
  });
  window.addEventListener("pointerup", () => { last = null; });
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("click", (event) => { if (moved) event.preventDefault(); });
}

function choose(svg) {
  const id = location.hash.slice(2);
  const chosen = id && document.getElementById(`c${id}`);
  for (const arrow of svg.querySelectorAll(".arrow")) {
    arrow.classList.toggle("lit", arrow.dataset.from === id || arrow.dataset.to === id);
  }
  for (const own of svg.querySelectorAll("a")) own.classList.toggle("lit", own.dataset.class === id);
  if (!chosen) return;
  chosen.open = true;
  chosen.querySelector("summary").focus({ preventScroll: true });
  chosen.scrollIntoView({ block: "nearest" });
}

const svg = document.getElementById("map");
if (svg) {
  zoomable(svg);
  window.addEventListener("hashchange", () => choose(svg));
  choose(svg);
}
