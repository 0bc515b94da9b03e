// SPDX-License-Identifier: Apache-2.0
// uPlot in the colours of the page: light, dark and printed, at the width of its element, and for fingers.
"use strict";
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
