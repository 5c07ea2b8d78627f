/** The gains of a law: a logarithmic slider and a number each, or one by one. */

import { fill, find, make, write } from "./elements.js";
import { Slider } from "./slider.js";

const SPAN = 100; // a slider goes from a hundredth of the chosen gain to a hundred times it
const FEW = 4; // digits

const largest = (value) => (Array.isArray(value) ? Math.max(...value) : value);
const digits = (x) => Number(x.toPrecision(FEW));

export class Gains {
  /** `changed()` is told after each change, `begun()` before. `given` holds what differs from the chosen gains. */
  constructor({ changed, begun }) {
    this.changed = changed;
    this.begun = begun;
    this.facts = [];
    this.given = {};
    find("gains-chosen").addEventListener("click", () => {
      begun();
      this.put({});
      changed();
    });
  }

  /** Show what a law has: [{name, unit, parts, matrix, chosen}]. What was given stays, as far as it fits. */
  build(facts, given = this.given) {
    const form = (list) => JSON.stringify(list.map(({ name, unit, parts, matrix }) => [name, unit, parts, matrix]));
    const same = this.rows && form(facts) === form(this.facts);
    this.facts = facts;
    if (!same) {
      // somebody may hold a slider meanwhile, which must not be taken away
      this.rows = new Map(facts.map((fact) => [fact.name, this.row(fact)]));
      find("gains").replaceChildren(...[...this.rows.values()].map(({ element }) => element));
      this.table();
    }
    for (const fact of facts) this.ends(fact);
    this.put(given);
  }

  /** Another robot came: what stands here is not about it. */
  clear() {
    [this.facts, this.given, this.rows] = [[], {}, null];
    find("gains").replaceChildren();
    find("gains-details").hidden = true;
    write(find("gains-hint"), "");
  }

  /** Give a slider its ends: far below and above the chosen gain. */
  ends({ name, matrix, chosen }) {
    const middle = matrix ? 1 : largest(chosen);
    const [low, high] = middle > 0 ? [middle / SPAN, middle * SPAN] : [1e-3, 1e3];
    this.rows.get(name).slider.between(digits(low), digits(high), { least: 0, log: true });
  }

  /** Return what is known of a gain. */
  fact(name) {
    return this.facts.find((each) => each.name === name);
  }

  /** Set what differs from the chosen gains, without telling anybody. */
  put(given) {
    const fits = ({ name, parts, matrix }) => {
      const value = given[name];
      if (value === undefined) return false;
      if (matrix) return value?.times > 0;
      return Array.isArray(value) ? value.length === parts.length : Number.isFinite(value);
    };
    this.given = Object.fromEntries(this.facts.filter(fits).map(({ name }) => [name, given[name]]));
    this.show();
  }

  /** Return the gain that is used: a number, one for each part, or how many times the chosen one. */
  value({ name, matrix, chosen, parts }) {
    const given = this.given[name];
    if (matrix) return given?.times ?? 1;
    const value = given ?? chosen;
    return parts.length && !Array.isArray(value) ? parts.map(() => value) : value;
  }

  row(fact) {
    const { name, unit, matrix } = fact;
    const id = `gain-${name}`;
    const words = name.replaceAll("_", " ");
    const range = make("input", { type: "range", id: `${id}-slider` });
    const label = `${words}, ${matrix ? "times the chosen one" : unit}`;
    const field = make("input", { type: "number", id, step: "any", "aria-label": label });
    range.setAttribute("aria-label", label);
    const short = matrix ? "× chosen" : unit;
    const element = make("div", { class: "slider gain" }, make("label", { for: range.id, text: words, title: words }), range, field, make("span", { class: "unit", text: short, title: short }));
    const slider = new Slider(range, field, { begun: this.begun, changed: (value) => this.scale(this.fact(name), value) });
    return { element, slider };
  }

  /** The largest entry becomes a value; the others keep their share of it. */
  scale(fact, value) {
    const { name, matrix, parts } = fact;
    const now = this.value(fact);
    const most = largest(now);
    if (matrix) this.given[name] = { times: value };
    else if (!parts.length) this.given[name] = value;
    else this.given[name] = now.map((x) => (most > 0 ? digits((x * value) / most) : value));
    this.show();
    this.changed();
  }

  /** Build the table of gains that have an entry for each joint or axis. */
  table() {
    const wide = this.facts.filter(({ parts, matrix }) => parts.length > 1 && !matrix);
    find("gains-details").hidden = !wide.length;
    const kinds = [...new Set(wide.map(({ parts }) => parts.join("\n")))];
    this.fields = new Map(wide.map(({ name }) => [name, []]));
    const [head, body] = ["thead", "tbody"].map((tag) => find("gains-details").querySelector(tag));
    head.replaceChildren(make("tr", {}, ...["", ...wide.map(({ name, unit }) => `${name.replaceAll("_", " ")} ${unit}`)].map((text) => make("th", { scope: "col", text }))));
    const rows = kinds.flatMap((kind) =>
      kind.split("\n").map((part, i) =>
        make("tr", {}, make("th", { scope: "row", text: part, title: part }), ...wide.map((fact) => make("td", {}, ...(fact.parts.join("\n") === kind ? [this.field(fact, i)] : [])))),
      ),
    );
    body.replaceChildren(...rows);
  }

  field(fact, i) {
    const field = make("input", { type: "number", min: 0, step: "any", "aria-label": `${fact.name} of ${fact.parts[i]}` });
    field.addEventListener("change", () => {
      if (!Number.isFinite(field.valueAsNumber)) return this.show();
      this.begun();
      this.given[fact.name] = this.value(this.fact(fact.name)).map((x, k) => (k === i ? Math.max(0, field.valueAsNumber) : x));
      this.show();
      this.changed();
    });
    this.fields.get(fact.name).push(field);
    return field;
  }

  show() {
    for (const fact of this.facts) {
      const value = this.value(fact);
      this.rows.get(fact.name).slider.show(largest(value));
      this.fields.get(fact.name)?.forEach((field, i) => fill(field, String(digits(value[i]))));
    }
    const own = Object.keys(this.given).length;
    write(find("gains-hint"), own ? "yours; the largest is shown" : "chosen for this arm");
    find("gains-chosen").disabled = !own;
  }
}
