/** What this browser keeps: which robots were shown last, and the files that were opened, so that a reload finds them. */

const RECENT = "qddot.studio.recent";
const MOST_RECENT = 8;
const MOST_FILES = 5;
const [BASE, STORE] = ["qddot.studio", "files"];

/** Return the names of the robots shown last, the newest first; "file:NAME" of a file. */
export function recent() {
  try {
    const names = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string").slice(0, MOST_RECENT) : [];
  } catch {
    return []; // a browser may forbid it, and anybody may have written there
  }
}

/** A robot is shown. */
export function note(name) {
  try {
    localStorage.setItem(RECENT, JSON.stringify([name, ...recent().filter((each) => each !== name)].slice(0, MOST_RECENT)));
  } catch {
    // then nothing is remembered
  }
}

/** Keep a file: {name, data}. The oldest go. */
export async function keepFile({ name, data }) {
  await inStore("readwrite", (store) => {
    store.put({ name, data, at: Date.now() });
    store.getAll().onsuccess = ({ target }) => {
      const oldest = [...target.result].sort((a, b) => b.at - a.at).slice(MOST_FILES);
      for (const each of oldest) store.delete(each.name);
    };
  });
}

/** Return a file that was kept, null where it is not there any more. */
export async function keptFile(name) {
  const found = await inStore("readonly", (store) => store.get(name));
  return found ? { name: found.name, data: found.data } : null;
}

/** Forget all of it. */
export async function forgetAll() {
  try {
    localStorage.removeItem(RECENT);
  } catch {
    // there is nothing then
  }
  await inStore("readwrite", (store) => store.clear());
}

/** Do something with the stored files; null where the browser stores none. */
function inStore(mode, action) {
  return new Promise((done) => {
    let opening = null;
    try {
      opening = indexedDB.open(BASE, 1);
    } catch {
      done(null);
      return;
    }
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "name" });
    opening.onerror = () => done(null);
    opening.onsuccess = () => {
      const base = opening.result;
      const change = base.transaction(STORE, mode);
      const asked = action(change.objectStore(STORE));
      const end = (value) => {
        base.close();
        done(value);
      };
      change.oncomplete = () => end(asked?.result ?? null);
      change.onerror = change.onabort = () => end(null);
    };
  });
}
