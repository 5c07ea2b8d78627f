/** Elements of the page. Words become text, never markup: names come from files. */

export const find = (id) => document.getElementById(id);

/** Return a new element; `text` is its text, `on` its listeners, the rest are attributes. */
export function make(tag, { text, on = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  element.append(...children);
  return element;
}

/** Write words into an element, but only when they changed: most do not, thirty times a second. */
export function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

const typed = new WeakSet(); // fields somebody types into and has not left yet
addEventListener("input", ({ target }) => typed.add(target), true);
for (const end of ["change", "focusout"]) addEventListener(end, ({ target }) => typed.delete(target), true);

/** Put words into a field, unless somebody is typing there: an answer must not eat an entry. */
export function fill(field, words) {
  if (!typed.has(field) && field.value !== words) field.value = words;
}

/** Say something about an entry, below its row, until the next entry there; "" takes it away. */
export function remark(field, words) {
  const row = field.closest(".slider, .vector, tr, form") ?? field.parentElement;
  const place = row.tagName === "TR" ? field.parentElement : row;
  let note = [...place.children].find((each) => each.matches(".note"));
  if (!note && words) place.append((note = make("span", { class: "note", role: "status" })));
  if (note) write(note, words);
}

/** Return names without the words that all of them begin or end with: panda_joint1, panda_joint2 are joint1, joint2. */
export function shortened(names) {
  if (names.length < 2) return names;
  const shared = (words) => {
    let k = 0;
    while (k < words[0].length && words.every((word) => word[k] === words[0][k])) k += 1;
    return words[0].slice(0, k);
  };
  const before = /^(.*[_\-/. ])?/.exec(shared(names))[0].length;
  const turned = names.map((name) => [...name.slice(before)].reverse().join(""));
  const after = /^(.*[_\-/. ])?/.exec(shared(turned))[0].length;
  const found = names.map((name) => name.slice(before, name.length - after));
  return found.every(Boolean) ? found : names;
}

/** Put options into a select; each is a name or [value, words, title]. */
export function options(select, entries, chosen) {
  select.replaceChildren(
    ...entries.map((entry) => {
      const [value, words, title] = Array.isArray(entry) ? entry : [entry, entry];
      return make("option", { value, text: words, title: title || null });
    }),
  );
  if (chosen !== undefined && chosen !== null) select.value = chosen;
}

/** Make a row of radio buttons tell what was chosen. */
export function chosen(name, listener) {
  for (const radio of document.querySelectorAll(`input[type=radio][name="${name}"]`))
    radio.addEventListener("change", () => radio.checked && listener(radio.value));
}

/** Choose one of a row of radio buttons without telling anybody; null chooses none. */
export function choose(name, value) {
  for (const radio of document.querySelectorAll(`input[type=radio][name="${name}"]`))
    radio.checked = radio.value === value;
}
