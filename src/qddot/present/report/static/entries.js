/* Equations of entries: choose one in a table and read it below. */

function entryTables() {
  let chosen = null; // what the panel shows, and where

  function follow() {
    if (!chosen || chosen.panel.hidden) return;
    const now = valueOf(chosen.of, chosen.at.split(",").map(Number));
    if (now !== undefined) chosen.output.textContent = `= ${digits(now, 10, 0)} at the positions of the sliders`;
  }

  function show(button) {
    const { of, at } = button.dataset, panel = find(button.getAttribute("aria-controls"));
    const place = of === "M" ? at.split(",").map(Number).sort((a, b) => a - b).join(",") : at;
    const known = DATA.equations?.[of]?.[place];
    for (const other of document.querySelectorAll(".entry[aria-pressed=true]")) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", "true");
    panel.hidden = false;
    const title = document.createElement("p"), formula = document.createElement("div");
    const output = document.createElement("p"), parts = [title, formula, output];
    title.className = "title";
    formula.className = "formula-of-entry";
    formula.tabIndex = 0; // a long one is scrolled by keys, too
    formula.setAttribute("role", "group");
    formula.setAttribute("aria-label", "Formula");
    output.className = "value";
    title.textContent = known ? `${known.name}, ${known.terms}` : `${of}(${place.split(",").map((k) => Number(k) + 1).join(", ")})`;
    if (known?.latex) {
      // set inline, long sums break into lines at their signs
      const flat = known.latex.replaceAll("\\left(", "(").replaceAll("\\right)", ")"); // which break too
      katex.render(flat, formula, { displayMode: false, throwOnError: false, trust: false, strict: "ignore", maxSize: 20 });
      const copy = document.createElement("button");
      copy.type = "button";
      copy.textContent = "Copy LaTeX";
      copy.addEventListener("click", () => copied(copy, known.latex));
      parts.push(copy);
    } else {
      formula.textContent = known
        ? "It is longer than this page prints; qddot.derive(robot) has it."
        : of === "f" ? "Friction is not part of the closed form." : "This page has no closed form of it.";
    }
    panel.replaceChildren(...parts);
    chosen = { of, at, panel, output };
    follow();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".entry");
    if (button) show(button);
  });
  followers.push(follow);
}

/** Copy words, and say so on the button for a moment. */
async function copied(button, words) {
  button.dataset.label ??= button.textContent;
  try {
    await navigator.clipboard.writeText(words);
    button.textContent = "Copied";
  } catch {
    // pages from a disk may not use the clipboard; then a field that is selected does
    const field = document.createElement("textarea");
    field.value = words;
    document.body.append(field);
    field.select();
    button.textContent = document.execCommand("copy") ? "Copied" : "Not allowed";
    field.remove();
  }
  setTimeout(() => { button.textContent = button.dataset.label; }, 1200);
}
