/** The numbers at the side: M or C, the torques, the eigenvalues, the energies. */

import { chosen, choose, find, make, shortened, write } from "./elements.js";
import { short, subscript, unitOf } from "./numbers.js";
import { colour } from "./palette.js";

const TITLES = { M: "Mass matrix", C: "Coriolis matrix" };
const LETTERS = { M: "M(q)", C: "C(q, q̇)" };
const COLUMNS = [
  ["g", "gravity torque", true],
  ["c", "velocity torque, c = C q̇", true],
  ["friction", "friction torque", false],
  ["tau", "torque of the actuators", false],
];
const HEADS = { g: "g", c: "c", friction: "friction", tau: "τ" };
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Tables {
  /** `picked({matrix, row, column})` is told which entry was clicked. */
  constructor(picked) {
    this.picked = picked;
    this.matrix = "M";
    chosen("matrix", (value) => this.choose(value));
    for (const id of ["matrix", "vectors"]) {
      find(id).addEventListener("click", (event) => this.pick(event.target.closest("button")));
      find(id).addEventListener("keydown", (event) => this.move(event, find(id)));
    }
  }

  /** Build the tables of a robot. */
  build(robot) {
    this.robot = robot;
    this.chosenEntry = null;
    this.now = null;
    this.buildMatrix();
    this.buildVectors();
    this.bars = robot.joints.map((_, i) => {
      const [bar, number] = [make("i"), make("b")];
      return { bar, number, element: make("div", { class: "eigenvalue", title: `λ${subscript(i + 1)}, a logarithmic bar` }, bar, number) };
    });
    find("eigenvalues").replaceChildren(...this.bars.map(({ element }) => element));
    this.energies = ["kinetic", "potential", "total"].map((name) => make("dd", { id: `energy-${name}`, text: "–" }));
    find("energies").replaceChildren(
      ...["kinetic", "potential", "total"].map((name, i) => make("div", {}, make("dt", { text: name }), this.energies[i])),
    );
  }

  choose(matrix) {
    this.matrix = matrix;
    choose("matrix", matrix);
    this.buildMatrix();
    if (this.now) this.showMatrix(this.now);
  }

  entry(matrix, row, column, tabbable) {
    const name = `${matrix}${subscript(row + 1)}${column === null ? "" : subscript(column + 1)}`;
    const button = make("button", {
      type: "button", tabindex: tabbable ? 0 : -1, title: `${name}: show its equation`,
      "data-matrix": matrix, "data-row": row, "data-column": column, text: "–",
    });
    return button;
  }

  buildMatrix() {
    const { matrix, robot } = this;
    const head = (i) => {
      const dot = make("i", { class: "dot" });
      dot.style.setProperty("--own", colour(i));
      return [dot, String(i + 1)];
    };
    find("matrix").style.setProperty("--n", robot.n);
    this.cells = robot.joints.map((_, i) => robot.joints.map((_, j) => this.entry(matrix, i, j, i + j === 0)));
    const top = make("tr", {}, make("td"), ...robot.joints.map((joint, j) => make("th", { scope: "col", title: joint.name }, ...head(j))));
    const rows = this.cells.map((cells, i) =>
      make("tr", {}, make("th", { scope: "row", title: robot.joints[i].name }, ...head(i)), ...cells.map((cell) => make("td", {}, cell))),
    );
    find("matrix").replaceChildren(
      make("caption", { class: "unseen", text: `${TITLES[matrix]}; each entry shows its equation` }), make("thead", {}, top), make("tbody", {}, ...rows),
    );
    write(find("matrix-title"), TITLES[matrix]);
    const units = new Set(robot.joints.flatMap((_, i) => robot.joints.map((_, j) => unitOf(matrix, robot.joints, i, j))));
    write(find("matrix-unit"), `${LETTERS[matrix]}, ${[...units].join(", ")}`);
    this.mark();
  }

  buildVectors() {
    const { robot } = this;
    this.vectors = { g: [], c: [], friction: [], tau: [] };
    const turning = robot.joints.map((joint) => joint.turns);
    const unit = turning.every(Boolean) ? "N·m" : turning.some(Boolean) ? "N·m, N" : "N";
    const top = COLUMNS.map(([key, title]) => make("th", { scope: "col", title, text: HEADS[key] }));
    const names = shortened(robot.joints.map(({ name }) => name));
    const rows = robot.joints.map((joint, i) => {
      const dot = make("i", { class: "dot" });
      dot.style.setProperty("--own", colour(i));
      const cells = COLUMNS.map(([key, , clickable]) => {
        const cell = clickable ? this.entry(key, i, null, i === 0 && key === "g") : make("span", { class: "number", text: "–" });
        this.vectors[key].push(cell);
        return make("td", {}, cell);
      });
      return make("tr", {}, make("th", { scope: "row", title: joint.name }, dot, names[i]), ...cells);
    });
    find("vectors").replaceChildren(
      make("caption", { class: "unseen", text: `Torques of each joint, ${unit}` }),
      make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "unit", text: unit }), ...top)), make("tbody", {}, ...rows),
    );
  }

  /** Show the numbers of a state; `tau` replaces the torques while a motion is shown. */
  show(now, tau) {
    this.now = now;
    this.showMatrix(now);
    for (const key of ["g", "c", "friction"]) this.showColumn(key, now[key]);
    this.showColumn("tau", tau ?? now.tau);
    this.showEigenvalues(now);
    const { kinetic, potential } = now;
    const total = kinetic === null || potential === null ? null : kinetic + potential;
    [kinetic, potential, total].forEach((value, i) => write(this.energies[i], `${short(value)} J`));
  }

  showMatrix(now) {
    const values = now[this.matrix];
    const most = Math.max(...values.map((row) => Math.max(...row.map(Math.abs))), 1e-12);
    values.forEach((row, i) => row.forEach((value, j) => shade(this.cells[i][j], value, most)));
  }

  showColumn(key, values) {
    const most = Math.max(...values.map((value) => Math.abs(value ?? 0)), 1e-9);
    values.forEach((value, i) => shade(this.vectors[key][i], value, most));
  }

  showEigenvalues({ eigenvalues, condition }) {
    const [low, high] = [eigenvalues[0], eigenvalues[eigenvalues.length - 1]];
    const decades = low > 0 && high > low ? Math.log(high / low) : 1;
    eigenvalues.forEach((value, i) => {
      const { bar, number } = this.bars[i];
      // a logarithmic bar: the smallest is a stub, the largest is whole
      const part = value > 0 && high > low ? 0.06 + 0.94 * (Math.log(value / low) / decades) : 1;
      bar.style.setProperty("--part", part.toFixed(3));
      write(number, short(value));
    });
    write(find("condition"), `condition ${short(condition)}`);
  }

  pick(button) {
    if (!button?.dataset.matrix) return;
    const { matrix, row, column } = button.dataset;
    const entry = { matrix, row: Number(row), ...(column === undefined ? {} : { column: Number(column) }) };
    this.chosenEntry = entry;
    this.mark();
    this.picked(entry);
  }

  /** Mark the entry whose equation is shown. */
  mark() {
    for (const button of document.querySelectorAll(".entries button[aria-pressed=true]")) button.removeAttribute("aria-pressed");
    if (!this.chosenEntry) return;
    const { matrix, row, column } = this.chosenEntry;
    const button = matrix === this.matrix ? this.cells[row][column] : (this.vectors?.[matrix]?.[row] ?? null);
    button?.setAttribute("aria-pressed", "true");
  }

  /** Arrow keys go from entry to entry, so that a table is one stop of the Tab key. */
  move(event, table) {
    const step = STEPS[event.key];
    const button = event.target.closest("button");
    if (!step || !button) return;
    const cell = button.parentElement;
    const row = table.tBodies[0].rows[cell.parentElement.sectionRowIndex + step[0]];
    const next = row?.cells[cell.cellIndex + step[1]]?.querySelector("button");
    event.preventDefault();
    if (!next) return;
    button.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

/** Write a number, coloured by its sign and by its size beside the largest; most do not change. */
function shade(cell, value, most) {
  const words = short(value, most);
  write(cell, words);
  const part = words === "0" || value === null ? 0 : Math.round(50 * Math.sqrt(Math.abs(value) / most)) / 50;
  const look = `${part} ${value < 0} ${words === "0"}`;
  if (cell.dataset.look === look) return;
  cell.dataset.look = look;
  cell.style.setProperty("--size", part);
  cell.classList.toggle("negative", value < 0);
  cell.classList.toggle("zero", words === "0");
}
