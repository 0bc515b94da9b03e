// SPDX-License-Identifier: Apache-2.0
// The use of one interval of a recording: shown beside the charts, and spoken by screen readers.
"use strict";
const textOf = (tag, content, name) => {
  const element = document.createElement(tag);
  element.textContent = content;
  if (name) element.className = name;
  return element;
};

// Shortens in the middle, because names that begin alike often end differently.
const shortened = (name, longest) => name.length <= longest ? name
  : name.slice(0, longest - longest / 3 - 1 | 0) + "…" + name.slice(-(longest / 3 | 0));

// swatch: creates the coloured sign of a pool. Returns a function that describes the column with this title.
function readingIn(box, { nanos, process, pools, threads, virtual }, swatch) {
  const most = 6;
  const used = (series, column) => series.user[column] + series.system[column];
  const percent = (micros, column) => (nanos[column] ? micros * 1e5 / nanos[column] : 0).toFixed(1) + " %";

  function add(table, kind, column, all) {
    const busy = all.filter(series => used(series, column) > 0)
      .sort((a, b) => !!a.other - !!b.other || used(b, column) - used(a, column));
    const body = table.createTBody();
    if (kind) {
      const heading = textOf("th", busy.length > most ? `${kind}: the busiest of ${busy.length}` : kind);
      heading.colSpan = 4;
      body.insertRow().append(heading);
    }
    for (const series of busy.slice(0, most)) {
      const row = body.insertRow();
      const name = row.insertCell();
      const pool = pools.indexOf(series) < 0 ? series.pool : pools.indexOf(series);
      if (pool !== undefined) name.append(swatch(pool));
      name.append(textOf("span", shortened(series.name, 44), "name"));
      name.title = series.name;
      const micros = used(series, column);
      row.append(textOf("td", percent(series.user[column], column)), textOf("td", percent(series.system[column], column)),
        textOf("td", micros < 1e4 ? (micros / 1e3).toFixed(1) + " ms" : micros < 1e7 ? (micros / 1e3).toFixed(0) + " ms" : (micros / 1e6).toFixed(1) + " s"));
    }
  }

  return {
    show(column, title) {
      const table = document.createElement("table");
      const head = table.createTHead().insertRow();
      for (const label of ["", "user", "system", "total"]) head.append(textOf("th", label));
      add(table, "", column, [process]);
      add(table, "Pools", column, pools);
      add(table, "Threads", column, threads);
      if (virtual.length) add(table, "Virtual threads", column, virtual);
      box.replaceChildren(textOf("h3", title), table, textOf("p", "Point at a chart for another interval, or use the arrow keys.", "soft hint"));
    },
    spoken(column, title) {
      const busiest = [...pools].sort((a, b) => used(b, column) - used(a, column))[0];
      return `${title}: ${percent(used(process, column), column)} of a CPU`
        + (busiest && used(busiest, column) ? `; most in ${busiest.name}, ${percent(used(busiest, column), column)}` : "");
    },
  };
}
