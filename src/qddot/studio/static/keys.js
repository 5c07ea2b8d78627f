/** Keyboard shortcuts, and the page that lists them. */

import { find, make } from "./elements.js";

// what types or already means something where the focus is
const TYPING = "input:not([type=checkbox], [type=radio], [type=range]), select, textarea";
const PRESSED = "button, summary, a, select, input[type=checkbox], input[type=radio]";

/** Each shortcut is [key, words, action]; keys are shown as they are written. */
export function takeKeys(shortcuts) {
  const actions = new Map(shortcuts.map(([key, , action]) => [key.toLowerCase(), action]));
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || find("shortcuts").open) return;
    const named = { " ": "space", Escape: "esc" }[event.key] ?? event.key.toLowerCase();
    const steering = event.ctrlKey || event.metaKey;
    const action = actions.get(steering ? `ctrl ${named}` : named);
    if (!action || (event.target.matches?.(TYPING) && named !== "esc")) return;
    if ((named === "space" || named === "enter") && event.target.closest?.(PRESSED)) return;
    event.preventDefault();
    action();
  });
  find("shortcut-list").replaceChildren(
    ...shortcuts.map(([key, words]) =>
      make("div", {}, make("dt", {}, ...key.split(" ").map((part) => make("kbd", { text: part }))), make("dd", { text: words })),
    ),
  );
  find("help").addEventListener("click", () => find("shortcuts").showModal());
}
