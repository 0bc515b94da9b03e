// SPDX-License-Identifier: Apache-2.0
// Draws a recording: stacked areas by pool, the process, a table of what is in view, and the use of one interval,
// which is shown beside the charts and spoken by screen readers.
"use strict";

// uPlot in the colours of the page: light, dark and printed, at the width of its element, and for fingers.
const dark = matchMedia("(prefers-color-scheme: dark)");
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const font = "12px system-ui, sans-serif";
const axis = { stroke: () => css("--soft"), grid: { stroke: () => css("--grid"), width: 1 }, ticks: { show: false }, font, labelFont: font };
const plots = new Set();

// Colours are functions, so a redraw takes those of the page at that moment.
function plot(element, options, data) {
  const chart = new uPlot({ ...options, width: element.clientWidth, axes: options.axes.map(each => ({ ...axis, ...each })) }, data, element);
  touchable(chart.over);
  plots.add(chart);
  fit.observe(element);
  return chart;
}

function each(action) {
  for (const chart of plots) chart.root.isConnected ? action(chart) : plots.delete(chart);
}

const fit = new ResizeObserver(() => each(chart => {
  const width = chart.root.parentElement.clientWidth;
  if (width !== chart.width) chart.setSize({ width, height: chart.height });
}));
for (const media of [dark, matchMedia("print")]) media.addEventListener("change", () => each(chart => chart.redraw()));

// uPlot knows the mouse only: a finger that goes across draws, one that goes up or down still scrolls the page.
function touchable(over) {
  let start = null;
  // uPlot ignores a move whose movementX and movementY are 0.
  const as = (type, { clientX, clientY }) => over.dispatchEvent(new MouseEvent(type, { clientX, clientY, movementX: 1, bubbles: true }));
  const on = (type, action) => over.addEventListener(type, event => event.pointerType === "touch" && action(event));
  on("pointerdown", event => {
    start = event;
    as("mousemove", event);
    as("mousedown", event);
  });
  on("pointermove", event => as("mousemove", event));
  on("pointerup", event => as("mouseup", event));
  on("pointercancel", () => {
    as("mousemove", start);
    as("mouseup", start);
  });
}

(() => {
  const { endMillis, nanos, process, pools, colours } = recording;
  const byId = id => document.getElementById(id);
  const textOf = (tag, content, name) => {
    const element = document.createElement(tag);
    element.textContent = content;
    if (name) element.className = name;
    return element;
  };

  // Shortens in the middle, because names that begin alike often end differently.
  const shortened = (name, longest) => name.length <= longest ? name
    : name.slice(0, longest - longest / 3 - 1 | 0) + "…" + name.slice(-(longest / 3 | 0));
  const firstMillis = endMillis[0] - nanos[0] / 1e6;
  // A step reaches back to the previous point, so the first step needs one.
  const xs = [firstMillis, ...endMillis].map(millis => millis / 1000);
  const last = xs.length - 1;
  const hidden = new Set();
  const open = new Set();
  const headline = byId("headline").textContent;
  let view = [xs[0], xs[last]];

  // The data of a thread omit the columns in which it did not run.
  function dense({ at, user, system, waited, ...rest }) {
    if (!at) return { user, system, waited, ...rest };
    const whole = values => at.reduce((all, column, i) => { all[column] = values[i]; return all; }, new Float64Array(endMillis.length));
    return { user: whole(user), system: whole(system), waited: waited && whole(waited), ...rest };
  }
  const threads = recording.threads.map(dense);
  const virtual = recording.virtual.map(dense);

  const hue = i => pools[i].other ? null : colours[i];
  const full = i => hue(i) === null ? (dark.matches ? "#6b7686" : "#8a93a0") : `hsl(${hue(i)} ${dark.matches ? "62% 58%" : "65% 45%"})`;
  const pale = i => hue(i) === null ? (dark.matches ? "#3d4550" : "#c9ced6") : `hsl(${hue(i)} ${dark.matches ? "45% 32%" : "75% 80%"})`;
  function swatch(i, tag = "span") {
    const box = textOf(tag, "", "swatch");
    for (const colour of [pale(i), full(i)]) box.appendChild(document.createElement("i")).style.background = colour;
    return box;
  }

  const percent = (micros, column) => nanos[column] ? micros * 1e5 / nanos[column] : 0;
  const clock = seconds => new Date(seconds * 1000).toLocaleTimeString([], { hourCycle: "h23" })
    + (seconds % 1 ? "." + Math.floor(seconds % 1 * 10) : "");
  const withStart = values => [values[0], ...values];
  const shown = () => pools.map((_, i) => i).filter(i => !hidden.has(i));

  // Two lines per pool, user and user + system, stacked. The uppermost comes first: each is filled to 0.
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

  function timeline(element, height, series, data) {
    return plot(element, {
      height, series: [{}, ...series], legend: { show: false }, padding: [12, 34, 0, 0],
      axes: [{ space: 90, size: 34, values: (_, ticks) => ticks.map(clock) }, { space: 30, size: 54, values: (_, ticks) => ticks.map(tick => tick + " %") }],
      cursor: { sync: { key: "recording" }, points: { show: false }, drag: { x: true, y: false } },
      scales: { y: { range: (_, low, high) => [0, Math.max(high * 1.05, 1)] }, x: { time: true } },
      hooks: { setScale: [(u, key) => key === "x" && look(u.scales.x.min, u.scales.x.max)], setCursor: [point] },
    }, data);
  }

  let charts = [];
  const elements = [byId("pools"), byId("process")];
  function draw() {
    charts.forEach(chart => chart.destroy());
    const height = innerWidth < 560 ? 240 : 340;
    const areas = shown().flatMap(i => [area(pools[i].name, () => pale(i)), area(pools[i].name, () => full(i))]);
    const user = withStart(process.user.map(percent));
    const both = withStart(process.user.map((micros, c) => percent(micros + process.system[c], c)));
    charts = [];
    charts = [timeline(elements[0], height, areas, stacked()),
      timeline(elements[1], 150, [area("system", () => dark.matches ? "#b45309" : "#fdba74"), area("user", () => css("--with"))], [xs, both, user])];
    charts.forEach(chart => chart.setScale("x", { min: view[0], max: view[1] }));
  }

  function look(min, max) {
    if (charts.length < 2 || min === undefined || (min === view[0] && max === view[1])) return;
    view = [min, max];
    charts.forEach(chart => chart.scales.x.min === min && chart.scales.x.max === max || chart.setScale("x", { min, max }));
    fill();
  }

  // --- one interval: under the pointer, or chosen with the keys
  const mostRead = 6;
  const used = (series, column) => series.user[column] + series.system[column];
  const inPercent = (micros, column) => percent(micros, column).toFixed(1) + " %";
  let chosen = -1;

  function addReading(table, kind, column, all) {
    const busy = all.filter(series => used(series, column) > 0)
      .sort((a, b) => !!a.other - !!b.other || used(b, column) - used(a, column));
    const body = table.createTBody();
    if (kind) {
      const heading = textOf("th", busy.length > mostRead ? `${kind}: the busiest of ${busy.length}` : kind);
      heading.colSpan = 4;
      body.insertRow().append(heading);
    }
    for (const series of busy.slice(0, mostRead)) {
      const row = body.insertRow();
      const name = row.insertCell();
      const pool = pools.indexOf(series) < 0 ? series.pool : pools.indexOf(series);
      if (pool !== undefined) name.append(swatch(pool));
      name.append(textOf("span", shortened(series.name, 44), "name"));
      name.title = series.name;
      const micros = used(series, column);
      row.append(textOf("td", inPercent(series.user[column], column)), textOf("td", inPercent(series.system[column], column)),
        textOf("td", micros < 1e4 ? (micros / 1e3).toFixed(1) + " ms" : micros < 1e7 ? (micros / 1e3).toFixed(0) + " ms" : (micros / 1e6).toFixed(1) + " s"));
    }
  }

  function read(column, title) {
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const label of ["", "user", "system", "total"]) head.append(textOf("th", label));
    addReading(table, "", column, [process]);
    addReading(table, "Pools", column, pools);
    addReading(table, "Threads", column, threads);
    if (virtual.length) addReading(table, "Virtual threads", column, virtual);
    byId("reading").replaceChildren(textOf("h3", title), table,
      textOf("p", "Point at a chart for another interval, or use the arrow keys.", "soft hint"));
  }

  function spoken(column, title) {
    const busiest = [...pools].sort((a, b) => used(b, column) - used(a, column))[0];
    return `${title}: ${inPercent(used(process, column), column)} of a CPU`
      + (busiest && used(busiest, column) ? `; most in ${busiest.name}, ${inPercent(used(busiest, column), column)}` : "");
  }

  function choose(column) {
    if (column !== chosen) show(column);
  }

  function show(column, remark = "") {
    chosen = column;
    const title = clock(xs[column]) + " to " + clock(xs[column + 1]) + remark;
    read(column, title);
    for (const element of elements) {
      element.setAttribute("aria-valuenow", column + 1);
      element.setAttribute("aria-valuetext", spoken(column, title));
    }
  }

  function point(chart) {
    const { left } = chart.cursor;
    if (left === undefined || left < 0) return;
    // A column extends from the previous point to its own.
    const x = chart.posToVal(left, "x");
    const column = endMillis.findIndex(millis => millis >= x * 1000);
    if (column >= 0 && x >= xs[0]) choose(column);
  }

  function walk(column) {
    const to = Math.min(last - 1, Math.max(0, column));
    const middle = (xs[to] + xs[to + 1]) / 2;
    const half = (view[1] - view[0]) / 2;
    if (middle < view[0] || middle > view[1]) within(middle - half, middle + half);
    choose(to);
    charts.forEach(chart => chart.setCursor({ left: chart.valToPos(middle, "x"), top: 0 }));
  }

  // Limits the view to the recording, and to at least one interval.
  function within(min, max) {
    const closest = Math.min(...nanos) / 1e9;
    const length = Math.min(xs[last] - xs[0], Math.max(closest, max - min));
    const from = Math.min(xs[last] - length, Math.max(xs[0], (min + max - length) / 2));
    look(from, from + length);
  }

  function key(event) {
    const [first, final] = [columnsInView()[0] ?? 0, columnsInView().pop() ?? last - 1];
    const centre = (xs[chosen] + xs[chosen + 1]) / 2;
    const zoom = factor => within(centre - (view[1] - view[0]) * factor / 2, centre + (view[1] - view[0]) * factor / 2);
    const tenth = Math.max(1, Math.round((final - first + 1) / 10));
    const actions = {
      ArrowRight: () => walk(chosen + 1), ArrowLeft: () => walk(chosen - 1), ArrowUp: () => walk(chosen + 1), ArrowDown: () => walk(chosen - 1),
      PageUp: () => walk(chosen + tenth), PageDown: () => walk(chosen - tenth), Home: () => walk(first), End: () => walk(final),
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), Escape: whole,
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  // --- the table
  function columnsInView() {
    const columns = [];
    endMillis.forEach((end, c) => {
      const middle = (end - nanos[c] / 2e6) / 1000;
      if (middle >= view[0] && middle <= view[1]) columns.push(c);
    });
    return columns;
  }

  function figures(row, series, columns, lengthNanos, allMicros) {
    const [user, system] = sums(series, columns);
    const share = micros => (lengthNanos ? micros * 1e5 / lengthNanos : 0).toFixed(1);
    const wait = series.waited ? [textOf("td", share(columns.reduce((sum, c) => sum + series.waited[c], 0)))] : [];
    row.append(textOf("td", share(user)), textOf("td", share(system)), textOf("td", share(user + system)), ...wait,
      textOf("td", ((user + system) / 1e6).toFixed(user + system < 1e7 ? 2 : 1)),
      textOf("td", (allMicros ? (user + system) * 100 / allMicros : 0).toFixed(1) + " %", "share"));
  }

  function sums(series, columns) {
    let user = 0, system = 0;
    for (const c of columns) {
      user += series.user[c];
      system += series.system[c];
    }
    return [user, system];
  }

  // The name, with the part that was searched for marked.
  function marked(name, wanted) {
    const at = wanted ? name.toLowerCase().indexOf(wanted) : -1;
    const element = textOf("span", "", "name");
    if (at < 0) element.append(name);
    else element.append(name.slice(0, at), textOf("mark", name.slice(at, at + wanted.length)), name.slice(at + wanted.length));
    return element;
  }

  function poolRow(i, unfolded, wanted) {
    const row = byId("rows").insertRow();
    row.className = "pool" + (hidden.has(i) ? " off" : "");
    const name = row.insertCell();
    const box = swatch(i, "button");
    const fold = textOf("button", unfolded ? "▾" : "▸", "fold");
    fold.setAttribute("aria-label", "threads of " + pools[i].name);
    fold.setAttribute("aria-expanded", unfolded);
    box.title = "show or hide in the chart";
    box.setAttribute("aria-label", pools[i].name + " in the chart");
    box.setAttribute("aria-pressed", !hidden.has(i));
    box.onclick = event => {
      event.stopPropagation();
      hidden.delete(i) || hidden.add(i);
      draw();
      fill();
    };
    name.append(fold, box, marked(pools[i].name, wanted), textOf("span", pools[i].threads > 1 ? " " + pools[i].threads + " threads" : "", "soft"));
    row.onclick = () => {
      open.delete(i) || open.add(i);
      fill();
    };
    return row;
  }

  function fill() {
    const columns = columnsInView();
    const length = columns.reduce((sum, c) => sum + nanos[c], 0);
    const sum = series => sums(series, columns).reduce((user, system) => user + system);
    const all = pools.reduce((micros, pool) => micros + sum(pool), 0);
    const wanted = byId("search").value.trim().toLowerCase();
    const matches = series => series.name.toLowerCase().includes(wanted);
    let found = 0;
    byId("rows").replaceChildren();
    const order = (a, b) => !!pools[a].other - !!pools[b].other || sum(pools[b]) - sum(pools[a]);
    for (const i of pools.map((_, k) => k).sort(order)) {
      const own = threads.filter(thread => thread.pool === i && (!wanted || matches(thread)));
      found += own.length;
      if (wanted && !own.length && !matches(pools[i])) continue;
      const unfolded = open.has(i) || wanted !== "" && own.length > 0;
      figures(poolRow(i, unfolded, wanted), pools[i], columns, length, all);
      if (!unfolded) continue;
      for (const [thread] of own.map(thread => [thread, sum(thread)]).sort((a, b) => b[1] - a[1])) {
        const line = byId("rows").insertRow();
        line.className = "thread";
        line.insertCell().append(marked(thread.name, wanted));
        figures(line, thread, columns, length, all);
      }
    }
    if (virtual.length) fillVirtual(columns, length, all, sum);
    byId("found").textContent = wanted ? `${found} of ${threads.length} threads` : "";
    const everything = view[0] <= xs[0] && view[1] >= xs[last];
    byId("all").disabled = everything;
    const seconds = view[1] - view[0];
    byId("range").textContent = clock(view[0]) + " to " + clock(view[1]) + ", " + seconds.toFixed(seconds < 10 ? 1 : 0) + " s";
    byId("headline").textContent = everything ? headline : summary(columns, length);
  }

  function fillVirtual(columns, length, all, sum) {
    byId("virtual").replaceChildren();
    for (const group of [...virtual].sort((a, b) => sum(b) - sum(a))) {
      const row = byId("virtual").insertRow();
      row.className = "group";
      row.insertCell().append(marked(group.name, ""));
      figures(row, group, columns, length, all);
    }
  }

  function summary(columns, length) {
    const [user, system] = sums(process, columns).map(micros => length ? micros * 1e5 / length : 0);
    const seconds = length / 1e9;
    return `${(user + system).toFixed(1)} % of a CPU over ${seconds.toFixed(seconds < 10 ? 1 : 0)} s: ${user.toFixed(1)} % user, ${system.toFixed(1)} % system`;
  }

  const whole = () => look(xs[0], xs[last]);
  byId("all").onclick = whole;
  byId("search").oninput = fill;
  const start = byId("start");
  start.textContent = new Date(start.dateTime).toLocaleString([], { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });
  for (const element of elements) {
    element.setAttribute("aria-valuemin", 1);
    element.setAttribute("aria-valuemax", last);
    element.addEventListener("keydown", key);
  }
  dark.addEventListener("change", () => {
    fill();
    if (chosen >= 0) show(chosen);
  });
  draw();
  fill();
  const busy = nanos.map((_, column) => process.user[column] + process.system[column]);
  show(busy.indexOf(Math.max(...busy)), ", the busiest");
})();
