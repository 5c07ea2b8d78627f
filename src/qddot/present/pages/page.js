/* Formulas are drawn, and what can be copied gets a button. Without it a page still reads. */
"use strict";
(() => {
  const copy = async (words) => {
    try {
      await navigator.clipboard.writeText(words);
    } catch {
      // pages that were opened as files may not be trusted with the clipboard
      const field = document.createElement("textarea");
      field.value = words;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  };
  const button = (place, name, words) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "copy";
    made.textContent = name;
    made.addEventListener("click", async () => {
      await copy(words);
      made.textContent = "Copied";
      setTimeout(() => { made.textContent = name; }, 1500);
    });
    place.append(made);
  };

  for (const place of document.querySelectorAll("[data-inline]")) {
    if (typeof katex !== "undefined") {
      katex.render(place.dataset.inline, place, {throwOnError: false, maxSize: 20});
    }
  }
  for (const place of document.querySelectorAll("[data-latex]")) {
    const {latex} = place.dataset, drawn = document.createElement("div");
    if (typeof katex !== "undefined") {
      katex.render(latex, drawn, {displayMode: true, throwOnError: false, maxSize: 20});
      place.replaceChildren(drawn);
    }
    const around = document.createElement("div");
    around.className = "with-copy";
    place.replaceWith(around);
    around.append(place);
    button(around, "Copy LaTeX", latex);
  }
  for (const place of document.querySelectorAll(".code")) button(place, "Copy", place.textContent);

  // what is wider than the page can be scrolled by keys too
  const reachable = () => {
    for (const place of document.querySelectorAll(".scroll, .code pre")) {
      if (place.scrollWidth > place.clientWidth + 1) place.tabIndex = 0;
      else place.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", reachable);
  document.fonts.ready.then(reachable);

  // on paper everything is open
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const part of opened) part.open = true;
  });
  addEventListener("afterprint", () => { for (const part of opened) part.open = false; });
})();
