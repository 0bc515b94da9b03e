// SPDX-License-Identifier: Apache-2.0
// Draws the percentiles that each figure holds as JSON, with the values under the pointer in the key.
"use strict";
(() => {
  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, maximumFractionDigits: 0, roundingPriority: "morePrecision" }).format;
  const lengths = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

  // "8.02 µs"
  function duration(nanos) {
    const [length, name] = lengths.find(([least]) => Math.abs(nanos) >= least) ?? lengths.at(-1);
    return number(nanos / length) + " " + name;
  }

  // A scale has the place of a value on the axis, the axis's range in places, the axis itself, and values in words.

  // Each power of ten takes the same room; values not above 0 are at the start.
  function logarithmic(values) {
    const positive = values.filter(value => value > 0);
    const start = positive.length ? Math.floor(Math.log10(Math.min(...positive))) : 0;
    const range = [start, Math.max(start + 1, Math.ceil(Math.log10(Math.max(1, ...positive))))];
    return { place: value => value > 0 ? Math.log10(value) : start, range, words: duration,
      axis: { incrs: [1, 2, 3, 4, 5, 10], values: (_, ticks) => ticks.map(tick => duration(10 ** tick)) } };
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

  const figures = [...document.querySelectorAll("figure")];
  const curvesOf = figure => JSON.parse(figure.querySelector("script").textContent);
  const points = figures.flatMap(curvesOf).flatMap(curve => curve.points);
  const x = nines(points.map(point => point[0]));
  const xs = new Map(points.map(([value]) => [x.place(value), value]));
  const y = logarithmic(points.map(point => point[1]));

  function draw(figure) {
    const curves = curvesOf(figure);
    // uPlot wants one x for all curves: they are joined, drawn by their places and read by their values.
    const joined = ys => uPlot.join(curves.map(curve => [curve.points.map(point => x.place(point[0])), curve.points.map(ys)]));
    const values = joined(point => point[1]);
    const series = curves.map(({ name }, i) => ({
      label: name, stroke: () => css(`--c${i}`), width: 2, points: { show: false },
      value: (_, _place, at, index) => index === null ? "" : y.words(values[at][index]),
    }));
    const mine = (_, i) => `var(--c${i - 1})`;
    plot(figure.querySelector("[role=img]"), {
      height: innerWidth < 560 ? 240 : 300, padding: [12, 24, 0, 0],
      series: [{ label: "percentile", value: (_, place) => place === null ? "–" : x.words(xs.get(place)) }, ...series],
      scales: { x: { time: false, range: x.range }, y: { range: y.range } },
      axes: [{ space: 62, size: 32, gap: 9, ...x.axis, label: "percentiles: the nines are evenly spaced", labelSize: 20 },
        { space: 30, size: 58, ...y.axis }],
      cursor: { y: false, drag: { x: false }, points: { size: 7, fill: mine } },
      legend: { mount: (_, key) => figure.append(key), markers: { width: 3, stroke: mine } },
    }, joined(point => y.place(point[1])));
  }

  figures.forEach(draw);
})();
