"""Contrast of letters with what is behind them."""

CONTRAST = """(place) => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  let element = document.querySelector(place);
  const ink = light(parse(getComputedStyle(element).color));
  let ground = [0, 0, 0, 0];
  while (element && ground[3] === 0) {
    const found = parse(getComputedStyle(element).backgroundColor);
    ground = found.length === 3 ? [...found, 1] : found;
    element = element.parentElement;
  }
  const paper = light(ground);
  return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
}"""
"""A function of the browser: the contrast of the first element that a selector finds, from 1 to 21 (WCAG 2.1, 1.4.3)."""
