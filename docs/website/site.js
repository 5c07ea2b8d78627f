// What pages do by themselves: set formulas, offer code to copy, open the menu, mark where one reads.
"use strict";

// formulas; without KaTeX their LaTeX stays
for (const place of document.querySelectorAll(".math")) {
  if (!window.katex) break;
  const displayMode = place.classList.contains("block");
  window.katex.render(place.textContent, place, { displayMode, throwOnError: false });
}

// code
function copied(pre) {
  const code = pre.querySelector("code");
  const commands = [...code.querySelectorAll(".command")].map((line) => line.textContent);
  if (commands.length) return commands.join("\n");
  if (pre.dataset.language !== "pycon") return code.textContent;
  const lines = code.textContent.split("\n").filter((line) => /^(>>>|\.\.\.)/.test(line));
  return lines.map((line) => line.slice(4)).join("\n");
}

async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  // a page from a disk may have no clipboard; a hidden field always works
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

for (const pre of document.querySelectorAll("pre.code:not(.listing):not(.signature)")) {
  const holder = document.createElement("div");
  holder.className = "copyable";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy this code");
  button.addEventListener("click", async () => {
    await copy(copied(pre));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  pre.replaceWith(holder);
  holder.append(pre, button);
}

// what scrolls sideways can be reached with the keyboard
function reachable() {
  for (const box of document.querySelectorAll("pre, .table, .math.block")) {
    if (box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", "Scrolls sideways");
    }
  }
}
window.addEventListener("load", reachable);

// the menu of narrow windows
const menu = document.querySelector("button.menu");
if (menu) {
  menu.hidden = false;
  menu.addEventListener("click", () => {
    const open = document.body.classList.toggle("menu-open");
    menu.setAttribute("aria-expanded", String(open));
  });
}

// the list of pages begins where this one is
const here = document.querySelector("nav.pages [aria-current]");
const pages = document.querySelector("nav.pages");
if (here && here.offsetTop > pages.clientHeight - 80) {
  pages.scrollTop = here.offsetTop - pages.clientHeight / 2;
}

// the heading that one reads under
const entries = new Map();
for (const link of document.querySelectorAll("nav.toc a")) {
  const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (heading) entries.set(heading, link);
}

let marked = null;
function mark() {
  let above = null;
  for (const heading of entries.keys()) {
    if (heading.getBoundingClientRect().top > 120) break;
    above = heading;
  }
  const link = above && entries.get(above);
  if (link === marked) return;
  if (marked) marked.removeAttribute("aria-current");
  marked = link;
  if (!link) return;
  link.setAttribute("aria-current", "true");
  const list = document.querySelector("nav.toc");
  const place = link.offsetTop - list.scrollTop;
  if (place < 60 || place > list.clientHeight - 60) list.scrollTop = link.offsetTop - list.clientHeight / 2;
}

let waiting = false;
if (entries.size) {
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      mark();
    });
  }, { passive: true });
  mark();
}
