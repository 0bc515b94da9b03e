// SPDX-License-Identifier: Apache-2.0
// Finds the faults of a page as it is drawn in a window of this width. Returns an array of sentences.
width => {
  const problems = [];
  const visible = element => element.checkVisibility() && element.getClientRects().length > 0;
  const named = element => element.tagName.toLowerCase() + (element.id ? "#" + element.id : "")
    + (element.classList.length ? "." + [...element.classList].join(".") : "");

  const across = document.documentElement.scrollWidth;
  if (across > width) {
    const wide = [...document.querySelectorAll("main *")].filter(visible)
      .filter(element => element.getBoundingClientRect().right > width + 1).slice(0, 5).map(named);
    problems.push(`it scrolls sideways: ${across} of ${width} pixels; ${wide.join(", ")}`);
  }

  // Drawings: each has content, and the content lies within the drawing.
  for (const canvas of [...document.querySelectorAll("canvas")].filter(visible)) {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const pixels = new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    if (new Set(pixels).size < 4) problems.push("nothing is drawn in " + named(canvas.parentElement));
    const [drawing, place] = [canvas, canvas.closest(".card")].map(each => each.getBoundingClientRect());
    if (drawing.width < 100 || drawing.height < 50) problems.push("an empty drawing");
    if (drawing.left < place.left || drawing.right > place.right) problems.push("a drawing beyond its edge");
  }

  // Text: readable against its background (WCAG 2, AA: 4.5 to 1).
  const numbers = colour => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.a > 0.9) return colour;
    }
    return { r: 255, g: 255, b: 255 };
  };
  const light = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map(value => value / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("script, style, noscript, [disabled], .off") || !visible(element)) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(numbers(style.color)), light(behind(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) faint.add(`${named(element)} has a contrast of ${contrast.toFixed(1)}`);
  }
  problems.push(...faint);

  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (dark !== light(behind(document.body)) < 0.2) problems.push("its colours are not those of the scheme");
  return problems;
}
