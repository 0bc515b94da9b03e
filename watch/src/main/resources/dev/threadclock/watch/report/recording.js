// SPDX-License-Identifier: Apache-2.0
// Draws a recording: stacked areas by pool, the process, and a table of what is in view.
"use strict";
(() => {
  const { endMillis, nanos, process, pools, threads, colours } = recording;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const byId = id => document.getElementById(id);
  const firstMillis = endMillis[0] - nanos[0] / 1e6;
  const lastMillis = endMillis[endMillis.length - 1];
  // A step reaches back to the point before it: the first needs one.
  const xs = [firstMillis, ...endMillis].map(millis => millis / 1000);
  const hidden = new Set();
  const open = new Set();
  let view = [xs[0], xs[xs.length - 1]];

  const hue = i => pools[i].other ? null : colours[i];
  const full = i => hue(i) === null ? (dark.matches ? "#6b7686" : "#8a93a0") : `hsl(${hue(i)} ${dark.matches ? "62% 58%" : "65% 45%"})`;
  const pale = i => hue(i) === null ? (dark.matches ? "#3d4550" : "#c9ced6") : `hsl(${hue(i)} ${dark.matches ? "45% 32%" : "75% 80%"})`;

  const percent = (micros, column) => micros * 1e5 / nanos[column];
  const clock = seconds => new Date(seconds * 1000).toLocaleTimeString([], { hour12: false })
    + (seconds % 1 ? "." + Math.floor(seconds % 1 * 10) : "");
  const withStart = values => [values[0], ...values];
  const shown = () => pools.map((_, i) => i).filter(i => !hidden.has(i));

  // Of each pool two lines, user and user + system, on those of the pools below; the uppermost first, as each is filled to 0.
  function stacked() {
    const base = nanos.map(() => 0);
    const lines = [];
    for (const i of shown().reverse()) {
      lines.push(withStart(base.map((b, c) => base[c] = b + percent(pools[i].user[c], c))));
      lines.push(withStart(base.map((b, c) => base[c] = b + percent(pools[i].system[c], c))));
    }
    return [xs, ...lines.reverse()];
  }

  const stepped = uPlot.paths.stepped({ align: -1 });
  const area = (label, colour) => ({ label, stroke: colour, width: 0, fill: colour, paths: stepped, points: { show: false } });

  function axes() {
    const common = { space: 90, stroke: css("--soft"), grid: { stroke: css("--grid"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    return [{ ...common, size: 34, values: (_, ticks) => ticks.map(clock) }, { ...common, space: 30, size: 54, values: (_, ticks) => ticks.map(tick => tick + " %") }];
  }

  function plot(element, height, series, data) {
    const options = {
      width: element.clientWidth, height, series: [{}, ...series], axes: axes(), legend: { show: false },
      cursor: { sync: { key: "recording" }, points: { show: false }, drag: { x: true, y: false } },
      scales: { y: { range: (_, low, high) => [0, Math.max(high * 1.05, 1)] }, x: { time: true } },
      hooks: { setScale: [(u, key) => key === "x" && look(u.scales.x.min, u.scales.x.max)], setCursor: [tip] },
    };
    return new uPlot(options, data, element);
  }

  let charts = [];
  function draw() {
    charts.forEach(chart => chart.destroy());
    const height = innerWidth < 560 ? 240 : 340;
    const areas = shown().flatMap(i => [area(pools[i].name, pale(i)), area(pools[i].name, full(i))]);
    const user = withStart(process.user.map(percent));
    const both = withStart(process.user.map((micros, c) => percent(micros + process.system[c], c)));
    const [system, first] = dark.matches ? ["#b45309", "#2dd4bf"] : ["#fdba74", "#0f766e"];
    charts = [];
    charts = [plot(byId("pools"), height, areas, stacked()),
      plot(byId("process"), 150, [area("system", system), area("user", first)], [xs, both, user])];
    charts.forEach(chart => chart.setScale("x", { min: view[0], max: view[1] }));
  }

  function look(min, max) {
    if (charts.length < 2 || min === undefined || (min === view[0] && max === view[1])) return;
    view = [min, max];
    charts.forEach(chart => chart.scales.x.min === min && chart.scales.x.max === max || chart.setScale("x", { min, max }));
    fill();
  }

  const text = (tag, content, name) => {
    const element = document.createElement(tag);
    element.textContent = content;
    if (name) element.className = name;
    return element;
  };

  function swatch(i) {
    const box = text("span", "", "swatch");
    for (const colour of [pale(i), full(i)]) box.appendChild(document.createElement("i")).style.background = colour;
    return box;
  }

  function tip(chart) {
    const box = byId("tip");
    const { left, top } = chart.cursor;
    // A column reaches from the point before to its own.
    const column = endMillis.findIndex(millis => millis >= chart.posToVal(left, "x") * 1000);
    if (chart !== charts[0] || left < 0 || column < 0) {
      if (chart === charts[0]) box.style.display = "none";
      return;
    }
    const table = document.createElement("table");
    const busy = shown().map(i => [i, percent(pools[i].user[column], column), percent(pools[i].system[column], column)])
      .filter(([, user, system]) => user + system >= 0.05).sort((a, b) => b[1] + b[2] - a[1] - a[2]).slice(0, 8);
    for (const [i, user, system] of busy) {
      const row = table.insertRow();
      const name = row.insertCell();
      name.append(swatch(i), text("span", pools[i].name, "name"));
      row.append(text("td", user.toFixed(1) + " user"), text("td", system.toFixed(1) + " system"));
    }
    box.replaceChildren(text("b", clock(endMillis[column] / 1000)), table);
    box.style.display = "block";
    const room = chart.root.clientWidth - box.offsetWidth;
    const x = left + chart.bbox.left / devicePixelRatio;
    box.style.left = Math.max(4, x > room - 30 ? x - box.offsetWidth - 10 : x + 26) + "px";
    box.style.top = Math.max(4, top - 20) + "px";
  }

  function columnsInView() {
    const columns = [];
    endMillis.forEach((end, c) => {
      const middle = (end - nanos[c] / 2e6) / 1000;
      if (middle >= view[0] && middle <= view[1]) columns.push(c);
    });
    return columns;
  }

  function figures(row, series, columns, lengthNanos, allMicros) {
    let user = 0, system = 0;
    for (const c of columns) {
      user += series.user[c];
      system += series.system[c];
    }
    const share = micros => (lengthNanos ? micros * 1e5 / lengthNanos : 0).toFixed(1);
    row.append(text("td", share(user)), text("td", share(system)), text("td", share(user + system)),
      text("td", ((user + system) / 1e6).toFixed(user + system < 1e7 ? 2 : 1)),
      text("td", (allMicros ? (user + system) * 100 / allMicros : 0).toFixed(1) + " %", "share"));
  }

  function fill() {
    const columns = columnsInView();
    const length = columns.reduce((sum, c) => sum + nanos[c], 0);
    const sum = series => columns.reduce((micros, c) => micros + series.user[c] + series.system[c], 0);
    const all = pools.reduce((micros, pool) => micros + sum(pool), 0);
    const rows = byId("rows");
    rows.replaceChildren();
    for (const i of pools.map((_, k) => k).sort((a, b) => sum(pools[b]) - sum(pools[a]))) {
      const own = threads.filter(thread => thread.pool === i);
      const row = rows.insertRow();
      row.className = "pool" + (hidden.has(i) ? " off" : "");
      const name = row.insertCell();
      const box = swatch(i);
      const fold = text("button", open.has(i) ? "▾" : "▸", "fold");
      fold.setAttribute("aria-label", "threads of " + pools[i].name);
      fold.setAttribute("aria-expanded", open.has(i));
      box.title = "show or hide in the chart";
      box.onclick = event => {
        event.stopPropagation();
        hidden.delete(i) || hidden.add(i);
        draw();
        fill();
      };
      name.append(fold, box, text("span", pools[i].name, "name"),
        text("span", pools[i].threads > 1 ? " " + pools[i].threads + " threads" : "", "soft"));
      figures(row, pools[i], columns, length, all);
      row.onclick = () => {
        open.delete(i) || open.add(i);
        fill();
      };
      if (!open.has(i)) continue;
      for (const thread of own.sort((a, b) => sum(b) - sum(a))) {
        const line = rows.insertRow();
        line.className = "thread";
        line.append(text("td", thread.name));
        figures(line, thread, columns, length, all);
      }
    }
    const whole = view[0] <= xs[0] && view[1] >= xs[xs.length - 1];
    byId("all").disabled = whole;
    byId("range").textContent = clock(view[0]) + " to " + clock(view[1]) + ", " + (view[1] - view[0]).toFixed(view[1] - view[0] < 10 ? 1 : 0) + " s";
  }

  byId("all").onclick = () => look(xs[0], xs[xs.length - 1]);
  dark.addEventListener("change", () => { draw(); fill(); });
  let width = 0;
  new ResizeObserver(() => {
    if (byId("pools").clientWidth !== width) {
      width = byId("pools").clientWidth;
      charts.forEach(chart => chart.setSize({ width, height: chart.height }));
    }
  }).observe(byId("pools"));
  draw();
  fill();
})();
