"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (what, from = document) => [...from.querySelectorAll(what)];
  all("#theme, .filter, .expand, .save, [data-copy]").forEach((one) => { one.hidden = false; });

  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
    button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  };
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
  system.addEventListener("change", name);
  name();

  const opened = (control, open) => {
    const row = document.getElementById(control.getAttribute("aria-controls"));
    row.querySelector("details").open = open;
    row.classList.toggle("open", open);
    control.setAttribute("aria-expanded", String(open));
  };
  all(".expand").forEach((one) => {
    one.addEventListener("click", () => opened(one, one.getAttribute("aria-expanded") !== "true"));
  });

  const valueOf = (body, column, kind) => {
    const cell = body.rows[0].cells[column] ?? body.rows[0].cells[0];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return kind === "number" ? (text === "" || isNaN(text) ? -Infinity : Number(text)) : text;
  };
  const compared = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));
  const sort = (table, head) => {
    const falling = head.getAttribute("aria-sort") === "ascending"
      || (!head.hasAttribute("aria-sort") && head.dataset.first === "descending");
    const sign = falling ? -1 : 1;
    const rows = [...table.tBodies].map((body) => [valueOf(body, head.cellIndex, head.dataset.sort), body]);
    rows.sort((a, b) => sign * compared(a[0], b[0]));
    table.append(...rows.map((row) => row[1]));
    all("th[aria-sort]", table).forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  };
  all("table.sortable").forEach((table) => {
    all("th[data-sort]", table).forEach((head) => {
      const control = document.createElement("button");
      control.type = "button";
      control.append(...head.childNodes);
      head.append(control);
      head.dataset.text = control.textContent;
      if (head.dataset.sort === "number" && head.textContent !== "rank") head.dataset.first = "descending";
      control.addEventListener("click", () => sort(table, head));
    });
  });

  all("[data-filter]").forEach((input) => {
    const table = document.getElementById(input.dataset.filter);
    const count = document.getElementById(`${input.dataset.filter}-count`);
    const words = [...table.tBodies].map((body) => [body, body.querySelector("th .name").textContent.toLowerCase()]);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      words.forEach(([body, text]) => { body.hidden = !text.includes(wanted); });
      const shown = words.filter(([body]) => !body.hidden).length;
      count.textContent = `${shown} of ${words.length} shown`;
    });
  });

  // A picture by itself: the page's style is written into each part, on the page's paper.
  const SHAPE = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "paint-order"];
  const LETTERS = [...SHAPE, "font-size", "font-weight", "text-anchor"];
  const SCALE = 3; // of a PNG: as many pixels as print asks for
  const standalone = (drawn) => {
    const copy = drawn.cloneNode(true);
    const parts = all("*", copy);
    all("*", drawn).forEach((one, i) => {
      if (/^(title|desc|defs|pattern)$/.test(one.tagName)) return;
      const style = getComputedStyle(one);
      (one.tagName === "text" ? LETTERS : SHAPE).forEach((name) => {
        parts[i].setAttribute(name, style.getPropertyValue(name).replaceAll('"', ""));
      });
      parts[i].removeAttribute("class");
    });
    const { width, height } = drawn.viewBox.baseVal;
    const paper = document.createElementNS(copy.namespaceURI, "rect");
    const facts = { width, height, fill: getComputedStyle(document.body).backgroundColor };
    Object.entries(facts).forEach(([name, value]) => paper.setAttribute(name, value));
    copy.querySelector("desc").after(paper);
    Object.entries({ width, height, "font-family": "Arial, Helvetica, sans-serif" })
      .forEach(([name, value]) => copy.setAttribute(name, value));
    copy.removeAttribute("class");
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  };
  const painted = ({ text, width, height }) => new Promise((done, failed) => {
    const image = new Image();
    image.onerror = failed;
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [width, height].map((size) => Math.round(SCALE * size));
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(done, "image/png");
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
  const slug = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase().slice(0, 60);
  all("[data-save]").forEach((one) => {
    one.addEventListener("click", async () => {
      const figure = one.closest("[data-figure]");
      const found = standalone(all("svg", figure).find((svg) => svg.getClientRects().length));
      const kind = one.dataset.save;
      const blob = kind === "PNG" ? await painted(found) : new Blob([found.text], { type: "image/svg+xml" });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${slug(document.title)}-${slug(figure.dataset.figure)}.${kind.toLowerCase()}`;
      link.click();
      window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });

  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const chosen = window.getSelection();
    chosen.removeAllRanges();
    chosen.addRange(range);
  };
  all("[data-copy]").forEach((one) => {
    const source = document.getElementById(one.dataset.copy);
    const done = (words) => {
      one.textContent = words;
      window.setTimeout(() => { one.textContent = "Copy"; }, 1600);
    };
    const byHand = () => {
      select(source);
      done(document.execCommand("copy") ? "Copied" : "Press Ctrl+C");
    };
    one.addEventListener("click", () => {
      if (!navigator.clipboard) { byHand(); return; }
      navigator.clipboard.writeText(source.innerText).then(() => done("Copied"), byHand);
    });
  });
})();
