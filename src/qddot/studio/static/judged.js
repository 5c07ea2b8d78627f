/** What came of a run under a law: its figures, what is known of its stability, and another run beside it. */

import { assumption } from "./control.js";
import { find, make, write } from "./elements.js";
import { angles, exact, short } from "./numbers.js";

const WORDS = { yes: "Sound: every assumption of its proof was decided and holds", no: "Not sound", open: "Open" };
const norm = (values) => Math.hypot(...values.map((x) => x ?? 0));
const most = (values) => Math.max(0, ...values.map((x) => Math.abs(x ?? 0)));

export class Judged {
  /** `changed()` is told when another run is kept to compare with, or none. */
  constructor(changed) {
    this.changed = changed;
    this.kept = null;
    find("keep-run").addEventListener("click", () => this.keep(this.motion));
    find("forget-run").addEventListener("click", () => this.keep(null));
  }

  /** Keep a run to compare later ones with. */
  keep(motion) {
    this.kept = motion;
    find("forget-run").hidden = !motion;
    this.show(this.motion, this.robot);
    this.changed();
  }

  /** Another robot came, with which nothing can be compared. */
  clear() {
    this.motion = null;
    this.kept = null;
    find("forget-run").hidden = true;
    find("judged").hidden = true;
  }

  /** Show a run; one without a report, as a live one, has an error and no verdict. */
  show(motion, robot) {
    [this.motion, this.robot] = [motion, robot];
    find("judged").hidden = !motion?.error;
    if (!motion?.error) return;
    const { report } = motion;
    find("keep-run").disabled = this.kept === motion;
    write(find("verdict"), report ? `${WORDS[report.sound]}${report.sound === "yes" ? "." : `: ${report.verdict.replace(/^(no|open): /, "")}.`}` : "A live run, whose law may have changed: press Run for a verdict.");
    find("verdict").className = report ? `sound-${report.sound}` : "sound-live";
    this.figures();
    this.byJoint();
    find("assumptions").hidden = !report;
    if (!report) return;
    const count = (word) => report.assumptions.filter(({ holds }) => holds === word).length;
    const counts = [[count("yes"), "hold"], [count("no"), "fail"], [count("open"), "open"]].filter(([k]) => k).map(([k, word]) => `${k} ${word}`);
    write(find("assumptions").querySelector("summary"), `Assumptions of its proof: ${counts.join(", ")}`);
    find("assumptions").querySelector("ul").replaceChildren(...report.assumptions.map(assumption));
  }

  /** Return the figures of a run: [words, number, how it is written]. */
  list(motion) {
    const { report, error } = motion;
    const shown = motion.error_units.map((unit) => angles.shown(unit));
    const unit = [...new Set(shown.map(([name]) => name))].join(", ");
    const scaled = (values) => values.map((x, i) => x * shown[i][1]);
    const length = (x) => (x === null ? "–" : `${short(x)} ${unit}`);
    const seconds = (x) => (x === null ? "never" : `${short(x)} s`);
    const share = (x) => (x === null ? "–" : `${short(100 * x)} %`);
    if (!report) {
      const last = error[error.length - 1];
      return [["error, RMS of the last piece", norm(scaled(motion.rms)), length], ["error now, largest", most(scaled(last)), length]];
    }
    const { peak, margin } = report.torque;
    const shares = peak.map((x, i) => (margin[i] === null ? null : x / (x + margin[i]))).filter((x) => x !== null);
    return [
      ["error, RMS", norm(scaled(report.rms)), length],
      ["error, largest", most(scaled(report.worst)), length],
      ["error, at the end", most(scaled(report.final)), length],
      ["settled to 2 % after", report.settling_time, seconds],
      ["largest torque of its limit", shares.length ? Math.max(...shares) : null, share],
      ["rise of V, of its range", report.V_rise, share],
    ];
  }

  /** Show the figures, of two runs beside each other where one is kept. */
  figures() {
    const [now, before] = [this.list(this.motion), this.kept && this.kept !== this.motion ? this.list(this.kept) : null];
    const cell = (text, how = "") => make("td", {}, make("span", { class: `number ${how}`, text }));
    const rows = now.map(([words, value, written]) => {
      const other = before?.find(([name]) => name === words);
      const cells = [cell(written(value))];
      if (before) {
        const old = other?.[1] ?? null;
        const known = value !== null && old !== null;
        const change = known ? value - old : null;
        const better = change < 0 ? "better" : change > 0 ? "worse" : "";
        cells.push(cell(other ? written(old) : "–"), cell(known ? `${change > 0 ? "+" : ""}${written(change)}` : "–", known ? better : ""));
      }
      return make("tr", {}, make("th", { scope: "row", text: words }), ...cells);
    });
    if (before) {
      const heads = [["figure", ""], ["now", this.name(this.motion)], ["kept", this.name(this.kept)], ["difference", "now less kept"]];
      rows.unshift(make("tr", {}, ...heads.map(([text, title]) => make("th", { scope: "col", text, title: title || null }))));
    }
    find("figures").querySelector("tbody").replaceChildren(...rows);
  }

  name({ law }) {
    return law.replaceAll("_", " ");
  }

  byJoint() {
    const { report, error_names: names, error_units: units } = this.motion;
    find("by-joint").hidden = !report;
    if (!report) return;
    const [head, body] = ["thead", "tbody"].map((tag) => find("by-joint").querySelector(tag));
    const row = (tag, cells) => make("tr", {}, ...cells.map((text, k) => make(k ? tag : "th", { scope: tag === "th" ? "col" : k ? null : "row", text, title: k ? null : text })));
    const shown = units.map((unit) => angles.shown(unit));
    const effort = this.robot.joints.map(({ turns }) => (turns ? "N·m" : "N"));
    const { torque } = report;
    head.replaceChildren(row("th", ["", "RMS", "largest", "end"]));
    body.replaceChildren(
      ...names.map((name, i) => row("td", [`e of ${name}, ${shown[i][0]}`, ...[report.rms[i], Math.abs(report.worst[i]), report.final[i]].map((x) => exact(x * shown[i][1], 4))])),
      row("th", ["", "RMS", "largest", "to its limit"]),
      ...torque.joints.map((name, i) => row("td", [`τ of ${name}, ${effort[i]}`, ...[torque.rms[i], torque.peak[i], torque.margin[i]].map((x) => (x === null ? "no limit" : exact(x, 4)))])),
    );
  }
}
