// SPDX-License-Identifier: Apache-2.0
// Shows the values under the pointer in a drawing's key, and opens the tables for printing.
'use strict';
document.querySelectorAll('figure').forEach(figure => {
  const svg = figure.querySelector('svg');
  const outputs = figure.querySelectorAll('output');
  const curves = [...figure.querySelectorAll('polyline')].map(line => ({
    across: [...line.points].map(point => point.x),
    values: line.dataset.values.split('|'),
  }));
  svg.addEventListener('pointermove', event => {
    const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
    curves.forEach(({ across, values }, i) => {
      const nearest = across.reduce((best, at, j) => Math.abs(at - x) < Math.abs(across[best] - x) ? j : best, 0);
      outputs[i].textContent = values[nearest];
    });
  });
  svg.addEventListener('pointerleave', () => outputs.forEach(output => { output.textContent = ''; }));
});
addEventListener('beforeprint', () => document.querySelectorAll('details.figures').forEach(details => { details.open = true; }));
