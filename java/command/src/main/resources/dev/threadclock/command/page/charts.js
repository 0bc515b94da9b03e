// SPDX-License-Identifier: Apache-2.0
// Draws the curves that each figure holds as JSON, with the values under the pointer in the key; opens the tables for printing.
"use strict";
(() => {
  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, maximumFractionDigits: 0, roundingPriority: "morePrecision" }).format;
  const nanosIn = { ns: 1, us: 1e3 };
  const lengths = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

  // "8.02 µs", "4,096"
  function short(value, unit) {
    const nanos = value * nanosIn[unit];
    if (!nanosIn[unit]) return number(value);
    const [length, name] = lengths.find(([least]) => Math.abs(nanos) >= least) ?? lengths.at(-1);
    return number(nanos / length) + " " + name;
  }
  const inFull = (value, unit) => short(value, unit) + (nanosIn[unit] || unit === "1" ? "" : " " + unit);

  // A scale has the place of a value on the axis, the axis's range in places, the axis itself, and values in words.
  function linear(values, unit) {
    const range = [Math.min(0, ...values), Math.max(...values) * 1.05 || 1];
    return { place: value => value, range, words: value => inFull(value, unit), axis: { values: (_, ticks) => ticks.map(tick => short(tick, unit)) } };
  }

  // Each power of ten takes the same room; values not above 0 are at the start.
  function logarithmic(values, unit) {
    const positive = values.filter(value => value > 0);
    const start = positive.length ? Math.floor(Math.log10(Math.min(...positive))) : 0;
    const range = [start, Math.max(start + 1, Math.ceil(Math.log10(Math.max(1, ...positive))))];
    return { place: value => value > 0 ? Math.log10(value) : start, range, words: value => inFull(value, unit),
      axis: { incrs: [1, 2, 3, 4, 5, 10], values: (_, ticks) => ticks.map(tick => short(10 ** tick, unit)) } };
  }

  // Percentiles, each further nine of which takes the same room; 100, the maximum, is one nine after the last.
  function nines(values) {
    const count = percentile => -Math.log10(1 - percentile / 100);
    const end = 1 + count(Math.max(0, ...values.filter(value => value < 100)));
    const words = value => value >= 100 ? "max" : +value.toFixed(10) + " %";
    const splits = (_plot, _axis, _min, _max, step) => [...Array(Math.ceil((end - step * 0.6) / step)).keys()].map(i => i * step).concat(end);
    return { place: value => value >= 100 ? end : count(value), range: [0, end], words,
      axis: { incrs: [1, 2, 3, 4, 5, 10], splits, values: (_, ticks) => ticks.map(tick => words(tick === end ? 100 : 100 * (1 - 10 ** -tick))) } };
  }

  // Beyond a ratio of 50, the small values of a linear axis would be indistinguishable.
  const spread = values => Math.max(...values) > 50 * Math.min(...values) && Math.min(...values) > 0 ? logarithmic : linear;
  const scales = {
    PERCENTILES: [() => nines, () => logarithmic], HISTOGRAM: [spread, () => linear],
    LINE: [() => linear, () => linear], LOG_LOG: [() => logarithmic, () => logarithmic],
  };

  const curvesOf = figure => JSON.parse(figure.querySelector("script").textContent);
  const colour = i => `--c${(i - 1) % 8}`;

  function draw(figure) {
    const curves = curvesOf(figure);
    const { kind, xUnit, yUnit } = curves[0];
    const alike = [...figure.closest(".alike")?.querySelectorAll("figure") ?? [figure]].flatMap(curvesOf);
    const [x, y] = [xUnit, yUnit].map((unit, i) => {
      const values = alike.flatMap(curve => curve.points.map(point => point[i]));
      return scales[kind][i](values)(values, unit);
    });
    // uPlot wants one x for all curves: they are joined, drawn by their places and read by their values.
    const joined = ys => uPlot.join(curves.map(({ points }) => [points.map(point => x.place(point[0])), points.map(ys)]));
    const values = joined(point => point[1]);
    const xs = new Map(curves.flatMap(({ points }) => points.map(([value]) => [x.place(value), value])));
    const label = unit => nanosIn[unit] || unit === "1" ? {} : { label: unit, labelSize: 20 };
    const series = curves.map(({ name }, i) => ({
      label: name, stroke: () => css(colour(i + 1)), width: 2, dash: i < 8 ? [] : [5, 3], points: { show: false },
      paths: kind === "HISTOGRAM" ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear(),
      value: (_, _place, at, index) => index === null ? "" : y.words(values[at][index]),
    }));
    const mine = (_, i) => `var(${colour(i)})`;
    plot(figure.querySelector("[role=img]"), {
      height: innerWidth < 560 ? 240 : 300, padding: [12, 24, 0, 0],
      series: [{ label: kind === "PERCENTILES" ? "percentile" : "at", value: (_, place) => place === null ? "–" : x.words(xs.get(place)) }, ...series],
      scales: { x: { time: false, range: x.range }, y: { range: y.range } },
      axes: [{ space: 62, size: 32, gap: 9, ...x.axis, ...label(kind === "PERCENTILES" ? "percentiles: the nines are evenly spaced" : xUnit) },
        { space: 30, size: 58, ...y.axis, ...label(yUnit) }],
      cursor: { y: false, drag: { x: false }, points: { size: 7, fill: mine } },
      legend: { mount: (_, key) => figure.append(key), markers: { width: 3, stroke: mine, dash: (_, i) => i > 8 ? "dashed" : "solid" } },
    }, joined(point => y.place(point[1])));
  }

  document.querySelectorAll("figure").forEach(draw);
  addEventListener("beforeprint", () => document.querySelectorAll("details.figures").forEach(details => { details.open = true; }));
})();
