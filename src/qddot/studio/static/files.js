/** Files in and out: chosen, dropped, saved. */

import { find, make } from "./elements.js";

const MOST = 8 * 2 ** 20; // [bytes] the server takes

/** Return a file as the server wants it; throws with words when it is too large. */
export async function packed(file) {
  if (file.size > MOST) {
    const size = (file.size / 2 ** 20).toFixed(1);
    throw new Error(`“${file.name}” has ${size} MiB; the studio takes files of at most 8 MiB. Use the command line: qddot show FILE.`);
  }
  const address = await new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(new Error(`“${file.name}” could not be read: ${reader.error?.message ?? "unknown"}.`));
    reader.readAsDataURL(file);
  });
  // data:<type>;base64,<data>
  return { name: file.name, data: address.slice(address.indexOf(",") + 1) };
}

/** Take files that are dropped anywhere on the page, or chosen with the buttons. */
export function takeFiles(taken) {
  const over = find("drop-here");
  let depth = 0;
  const inside = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const leave = () => {
    depth = 0;
    over.hidden = true;
  };
  addEventListener("dragenter", (event) => {
    if (!inside(event)) return;
    event.preventDefault();
    depth += 1;
    over.hidden = false;
  });
  addEventListener("dragover", (event) => inside(event) && event.preventDefault());
  addEventListener("dragleave", () => (depth = Math.max(0, depth - 1)) || leave());
  addEventListener("drop", (event) => {
    if (!inside(event)) return;
    event.preventDefault();
    leave();
    if (event.dataTransfer.files.length) taken(event.dataTransfer.files[0]);
  });
  const chooser = find("file");
  for (const id of ["open", "open-log"]) find(id).addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    if (chooser.files.length) taken(chooser.files[0]);
    chooser.value = "";
  });
}

/** Save what the server sent. */
export async function save({ name, mime, data }) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], { type: mime }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Save a data URL, such as a picture. */
export function saveAddress(address, name) {
  const [head, data] = address.split(",");
  save({ name, mime: head.slice(5).split(";")[0], data });
}
