/** What is on the page, saved: its state as a file or an address, the picture, the plots. */

import { find } from "./elements.js";
import { saveAddress, saveText } from "./files.js";
import { say } from "./messages.js";
import { csvOf, jsonOf, pngOf } from "./plot_files.js";
import { ENDING, fileOf } from "./state.js";

export class Saving {
  /** `desk` says which robot there is, from where, which motion, and all that is set. */
  constructor(desk) {
    this.desk = desk;
    find("save-png").addEventListener("click", () => this.picture());
    find("save-state").addEventListener("click", () => this.state());
    find("copy-link").addEventListener("click", () => this.link());
    for (const how of ["csv", "json", "png"]) find(`plots-${how}`).addEventListener("click", () => this.plots(how));
  }

  get name() {
    return this.desk.robot().name.replace(/[^\w.-]+/g, "_").slice(0, 60) || "robot";
  }

  picture() {
    if (this.desk.robot()) saveAddress(this.desk.arm.png(), `${this.name}.png`);
  }

  /** Save all that is set; a robot that was opened from a file goes along. */
  state() {
    if (!this.desk.robot()) return;
    const { do: how, name, data } = this.desk.source();
    const robot = how === "file" ? { file: name, data } : name;
    saveText(fileOf({ robot, ...this.desk.state() }), `${this.name}${ENDING}`, "application/json");
  }

  async link() {
    await navigator.clipboard.writeText(location.href);
    const own = "It works in this browser, which keeps the file; for others save the state.";
    say(`The address is in the clipboard. ${this.desk.source()?.do === "file" ? own : ""}`);
  }

  plots(how) {
    const [motion, plots] = [this.desk.motion(), this.desk.plots()];
    if (!motion) return;
    if (how === "csv") saveText(csvOf(motion, plots.curves()), `${this.name}_plots.csv`, "text/csv");
    else if (how === "json") saveText(jsonOf(motion, this.desk.state()), `${this.name}_run.json`, "application/json");
    else saveAddress(pngOf(find("plots-grid"), plots.shown.map((name) => plots.plots[name])), `${this.name}_plots.png`);
  }
}
