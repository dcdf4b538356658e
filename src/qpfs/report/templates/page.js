"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (what, from = document) => [...from.querySelectorAll(what)];
  all("#theme, .filter, .expand, [data-copy]").forEach((one) => { one.hidden = false; });

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
    const words = [...table.tBodies].map((body) => [body, body.querySelector("th").textContent.toLowerCase()]);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      words.forEach(([body, text]) => { body.hidden = !text.includes(wanted); });
      const shown = words.filter(([body]) => !body.hidden).length;
      count.textContent = `${shown} of ${words.length} shown`;
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
