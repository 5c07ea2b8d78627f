/* One slide at a time: arrow keys, space, a click or a swipe; the place is in the address. */
"use strict";
(() => {
  const slides = [...document.querySelectorAll("main > section")];
  const count = document.createElement("output");
  count.className = "count";
  document.body.append(count);
  let at = 0;
  const show = (k) => {
    at = Math.min(Math.max(k, 0), slides.length - 1);
    slides.forEach((slide, i) => slide.classList.toggle("shown", i === at));
    count.textContent = `${at + 1} / ${slides.length}`;
    history.replaceState(null, "", `#${at + 1}`);
    scrollTo(0, 0);
  };
  const go = {
    ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, Enter: 1,
    ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Backspace: -1,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, a")) return;
    if (event.key === "Home") show(0);
    else if (event.key === "End") show(slides.length - 1);
    else if (event.key in go) show(at + go[event.key]);
    else return;
    event.preventDefault();
  });
  document.querySelector("main").addEventListener("click", (event) => {
    if (event.target.closest("button, a") || String(getSelection())) return;
    show(at + (event.clientX < innerWidth / 3 ? -1 : 1));
  });
  let start = null;
  addEventListener("touchstart", (event) => { start = event.touches[0].clientX; });
  addEventListener("touchend", (event) => {
    const moved = event.changedTouches[0].clientX - start;
    if (Math.abs(moved) > 60) show(at + (moved < 0 ? 1 : -1));
  });
  document.body.classList.add("slides");
  show((parseInt(location.hash.slice(1), 10) || 1) - 1);
})();
