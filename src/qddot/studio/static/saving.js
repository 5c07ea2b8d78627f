/** What is on the page, saved: its state as an address, the picture. */

import { find } from "./elements.js";
import { saveAddress } from "./files.js";
import { say } from "./messages.js";

export class Saving {
  /** `desk` says which robot there is, and from where. */
  constructor(desk) {
    this.desk = desk;
    find("save-png").addEventListener("click", () => this.picture());
    find("copy-link").addEventListener("click", () => this.link());
  }

  picture() {
    const robot = this.desk.robot();
    if (robot) saveAddress(this.desk.arm.png(), `${robot.name.replace(/[^\w.-]+/g, "_").slice(0, 60) || "robot"}.png`);
  }

  async link() {
    await navigator.clipboard.writeText(location.href);
    const { do: how, name } = this.desk.source() ?? {};
    say(`The address is in the clipboard. ${how === "file" ? `It does not hold “${name}”: that file is opened again by hand.` : ""}`);
  }
}
