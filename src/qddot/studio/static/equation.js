/** The equation of the entry that was clicked. */

import { find, write } from "./elements.js";
import { exact, subscript, unitOf } from "./numbers.js";

const MOTION = "M(q)\\,\\ddot q + C(q,\\dot q)\\,\\dot q + g(q) + F_v\\,\\dot q + F_s\\,\\operatorname{sgn}\\dot q = \\tau";
const SHORT = "c₂ = cos q₂, s₁₂ = sin(q₁ + q₂), …";
const SAFELY = { throwOnError: false, trust: false, strict: "ignore", maxSize: 20 };

export class Equation {
  /** `ask(entry)` returns the server's answer, `refused(problem)` is told why there is none. */
  constructor({ ask, refused }) {
    this.ask = ask;
    this.refused = refused;
    this.entry = null;
    for (const kind of ["latex", "text"])
      find(`copy-${kind}`).addEventListener("click", (event) => copy(event.currentTarget, this.answer?.[kind] ?? ""));
  }

  /** Forget the equation: another robot has others. */
  clear() {
    this.entry = this.answer = null;
    write(find("equation-title"), "Equation of motion");
    for (const id of ["equation-buttons", "equation-whole"]) find(id).hidden = true;
    katex.render(MOTION, find("formula"), SAFELY);
    name(find("formula"), "M q̈ + C q̇ + g + friction = τ");
    for (const id of ["equation-value", "equation-note"]) write(find(id), "");
    find("equation-hint").hidden = false;
  }

  /** Show the equation of an entry; asks for it first. */
  async show(entry, robot) {
    this.entry = entry;
    let answer;
    try {
      answer = await this.ask(entry);
    } catch (problem) {
      if (this.entry === entry) this.refused(problem);
      return;
    }
    // another entry may have been clicked meanwhile
    if (this.entry !== entry) return;
    this.answer = answer;
    this.unit = unitOf(entry.matrix, robot.joints, entry.row, entry.column);
    this.name = `${entry.matrix}${subscript(entry.row + 1)}${entry.column === undefined ? "" : subscript(entry.column + 1)}`;
    find("equation-hint").hidden = true;
    find("equation-buttons").hidden = false;
    write(find("equation-title"), `Equation of ${this.name}`);
    const formula = find("formula");
    // set inline and in one piece, so that a long sum breaks at its signs, also within brackets
    const sum = (answer.lines ?? [answer.latex]).join(" ").replace(/\\quad|\\left(?=[([])|\\right(?=[)\]])/g, "");
    katex.render(`${letter(entry)} = ${sum}`, formula, SAFELY);
    name(formula, `${this.name} = ${answer.text}`);
    formula.scrollTop = 0;
    const terms = answer.terms === 1 ? "1 term" : `${answer.terms} terms`;
    const letters = /[cs]_/.test(answer.latex) ? SHORT : "";
    write(find("equation-note"), [answer.note || terms, letters].filter(Boolean).join(" · "));
    const whole = find("equation-whole");
    whole.hidden = !answer.whole;
    whole.open = false;
    write(whole.querySelector("pre"), answer.whole ?? "");
    this.value(answer.value);
  }

  /** Show the value that the entry has now. */
  follow(now) {
    if (!this.answer || !this.entry) return;
    const { matrix, row, column } = this.entry;
    this.value(column === undefined ? now[matrix][row] : now[matrix][row][column]);
  }

  value(x) {
    // what is 0 in the tables, being rounding, is seen here as it is
    write(find("equation-value"), `${this.name} = ${exact(x, 7, 0)} ${this.unit}`);
  }
}

/** Return the entry's name in LaTeX: M_{12}. */
function letter({ matrix, row, column }) {
  const far = row > 8 || column > 8 ? "," : ""; // 1,12 is not 11,2
  return `${matrix}_{${row + 1}${column === undefined ? "" : far + (column + 1)}}`;
}

/** Say a formula to those who do not see it. */
function name(formula, words) {
  formula.setAttribute("role", "math");
  formula.setAttribute("aria-label", words);
}

/** Copy words, and say so on the button for a moment. */
async function copy(button, words) {
  button.dataset.label ??= button.textContent;
  try {
    await navigator.clipboard.writeText(words);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => (button.textContent = button.dataset.label), 1200);
}
