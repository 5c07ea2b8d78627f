// Search through every page, without a server: the index is a script that is loaded when needed.
"use strict";

(() => {
  const MOST = 20; // results
  const AROUND = 70; // characters of an excerpt before what was found
  const LONG = 170; // characters of an excerpt

  const root = document.body.dataset.root;
  const form = document.querySelector("form.search");
  const field = form.querySelector("input");
  const panel = form.querySelector("#found");
  const status = panel.querySelector("p");
  const list = panel.querySelector("ol");
  let entries = null;
  let loading = null;

  // q̈ is found by q, Ṁ by m
  function folded(text) {
    return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  }

  function load() {
    loading ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = root + "assets/index.js";
      script.addEventListener("load", () => {
        const { pages, entries: rows } = window.siteIndex;
        entries = rows.map(([page, anchor, heading, name, words]) => {
          const [address, title, weight] = pages[page];
          return {
            address: root + address + (anchor ? "#" + encodeURIComponent(anchor) : ""),
            title, heading, name, words, weight,
            whole: !anchor,
            folded: { title: folded(title), heading: folded(heading), name: folded(name), words: folded(words) },
          };
        });
        done();
      });
      document.head.append(script);
    });
    return loading;
  }

  function begins(text, term) {
    const at = text.indexOf(term);
    return at >= 0 && (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]));
  }

  function score(entry, term) {
    const { title, heading, name, words } = entry.folded;
    const last = name.slice(name.lastIndexOf(".") + 1);
    let points = 0;
    if (name && (last === term || name === term)) points += 120;
    else if (name && last.startsWith(term)) points += 60;
    else if (name.includes(term)) points += 30;
    if (begins(heading, term)) points += 35;
    else if (heading.includes(term)) points += 15;
    if (begins(title, term)) points += entry.whole ? 50 : 8;
    if (begins(words, term)) points += 6;
    else if (words.includes(term)) points += 3;
    return points;
  }

  function found(query) {
    // qddot.load("panda") is looked for as load
    const words = folded(query).replace(/\bqddot\.(?=\w)/g, "").replace(/\(.*/, "");
    const terms = (words || folded(query)).split(/\s+/).filter(Boolean);
    const hits = [];
    for (const entry of entries) {
      let total = 0;
      for (const term of terms) {
        const points = score(entry, term);
        if (!points) { total = 0; break; }
        total += points;
      }
      if (total) hits.push([total * entry.weight, entry]);
    }
    hits.sort((a, b) => b[0] - a[0]);
    return { terms, hits: hits.map((hit) => hit[1]) };
  }

  // folded text, and where in the text each of its characters is from
  function mapped(text) {
    let plain = "";
    const from = [];
    for (let k = 0; k < text.length; k++) {
      const part = folded(text[k]);
      plain += part;
      for (let i = 0; i < part.length; i++) from.push(k);
    }
    from.push(text.length);
    return { plain, from };
  }

  // words with what was found marked, as text and never as markup
  function marked(text, terms) {
    const piece = document.createDocumentFragment();
    const { plain, from } = mapped(text);
    let at = 0;
    for (;;) {
      const next = terms.map((term) => [plain.indexOf(term, at), term]).filter(([k]) => k >= 0)
        .sort((a, b) => a[0] - b[0])[0];
      if (!next) break;
      const [start, term] = next;
      const mark = document.createElement("mark");
      mark.textContent = text.slice(from[start], from[start + term.length]);
      piece.append(text.slice(from[at], from[start]), mark);
      at = start + term.length;
    }
    piece.append(text.slice(from[at]));
    return piece;
  }

  function excerpt(entry, terms) {
    const { plain, from } = mapped(entry.words);
    const places = terms.map((term) => plain.indexOf(term)).filter((k) => k >= 0);
    const first = places.length ? from[Math.min(...places)] : 0;
    const start = first > AROUND ? entry.words.indexOf(" ", first - AROUND) + 1 : 0;
    const end = start + LONG;
    return (start ? "… " : "") + entry.words.slice(start, end) + (end < entry.words.length ? " …" : "");
  }

  function show(query) {
    if (!query.trim()) { close(); return; }
    const { terms, hits } = found(query);
    list.replaceChildren(...hits.slice(0, MOST).map((entry) => {
      const link = document.createElement("a");
      link.href = entry.address;
      const title = document.createElement("span");
      title.className = entry.name ? "what code" : "what";
      title.append(marked(entry.name || entry.heading || entry.title, terms));
      const where = document.createElement("span");
      where.className = "where";
      where.textContent = entry.name ? "Reference · " + entry.title : entry.whole ? "" : entry.title;
      const words = document.createElement("span");
      words.className = "words";
      words.append(marked(excerpt(entry, terms), terms));
      link.append(title, where, words);
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    const count = hits.length > MOST ? `The first ${MOST} of ${hits.length} places` : `${hits.length} places`;
    status.textContent = hits.length ? (hits.length === 1 ? "1 place" : count) : "Nothing found. Try fewer or shorter words.";
    panel.hidden = false;
  }

  function close() {
    panel.hidden = true;
    list.replaceChildren();
  }

  async function look() {
    await load();
    show(field.value);
  }

  form.hidden = false;
  field.addEventListener("focus", load, { once: true });
  field.addEventListener("input", look);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await look();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { close(); field.focus(); return; }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || panel.hidden) return;
    event.preventDefault();
    const stops = [field, ...list.querySelectorAll("a")];
    const next = stops.indexOf(document.activeElement) + step;
    stops[Math.max(0, Math.min(stops.length - 1, next))].focus();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      field.focus();
      field.select();
    }
  });
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target)) close();
  });
  list.addEventListener("click", (event) => {
    if (event.target.closest("a")) close(); // an anchor of this page loads nothing
  });
})();
