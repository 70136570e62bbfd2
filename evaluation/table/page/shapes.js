// What pictures are made of: a night-nursery palette, and flat shapes.

import {html} from "./vendor/preact.js";

export const INK = "#1d1838";
export const NIGHT = "#2c2560";
export const DUSK = "#4b3c92";
export const PLUM = "#8660c4";
export const LILAC = "#d9cff3";
export const CREAM = "#fff3d9";
export const MOON = "#ffd966";
export const AMBER = "#f39b4a";
export const CORAL = "#ef6461";
export const WINE = "#8c2f52";
export const SKY = "#86b8ef";
export const SEA = "#2b6f8f";
export const MINT = "#7ed3ae";
export const PINE = "#2c6b62";
export const SKIN = "#f9c8a0";
export const TAN = "#c98a5e";
export const WOOD = "#8d5a3f";
export const BARK = "#573428";

// ---- Small shapes ----

export const shape = (fill, d) => html`<path d=${d} fill=${fill} />`;
export const dot = (x, y, r, fill) => html`<circle cx=${x} cy=${y} r=${r} fill=${fill} />`;
export const oval = (x, y, rx, ry, fill) =>
  html`<ellipse cx=${x} cy=${y} rx=${rx} ry=${ry} fill=${fill} />`;
export const box = (x, y, width, height, rx, fill) =>
  html`<rect x=${x} y=${y} width=${width} height=${height} rx=${rx} fill=${fill} />`;
export const line = (stroke, width, d) =>
  html`<path d=${d} fill="none" stroke=${stroke} stroke-width=${width}
    stroke-linecap="round" stroke-linejoin="round" />`;
export const turned = (degrees, x, y, what) =>
  html`<g transform=${`rotate(${degrees} ${x} ${y})`}>${what}</g>`;
export const moved = (x, y, scale, what) =>
  html`<g transform=${`translate(${x} ${y}) scale(${scale})`}>${what}</g>`;
export const faint = (opacity, what) => html`<g opacity=${opacity}>${what}</g>`;

export const star = (x, y, r) =>
  shape(MOON, `M${x} ${y - r}Q${x} ${y} ${x + r} ${y}Q${x} ${y} ${x} ${y + r}` +
    `Q${x} ${y} ${x - r} ${y}Q${x} ${y} ${x} ${y - r}Z`);
export const stars = (...places) => places.map(([x, y, r = 3.5]) => star(x, y, r));

export const crescent = (x, y, r) =>
  shape(MOON, `M${x - r * 0.2} ${y - r}A${r} ${r} 0 1 0 ${x + r} ${y + r * 0.2}` +
    `A${r * 0.85} ${r * 0.85} 0 0 1 ${x - r * 0.2} ${y - r}Z`);

// An eye that looks aside by (dx, dy), in radii.
export const eye = (x, y, r, white = CREAM, dx = 0, dy = 0) => [
  dot(x, y, r, white),
  dot(x + dx * r, y + dy * r, r * 0.55, INK),
  dot(x + dx * r + r * 0.2, y + dy * r - r * 0.22, r * 0.18, CREAM),
];
export const eyes = (x, apart, y, r, white, dx, dy) =>
  [eye(x - apart, y, r, white, dx, dy), eye(x + apart, y, r, white, dx, dy)];
export const beads = (x, apart, y, r) => [dot(x - apart, y, r, INK), dot(x + apart, y, r, INK)];
export const blush = (x, apart, y) => faint(0.55, [oval(x - apart, y, 4, 2.6, CORAL),
  oval(x + apart, y, 4, 2.6, CORAL)]);
export const fang = (x, y, size) =>
  shape(CREAM, `M${x - size} ${y}L${x + size} ${y}L${x} ${y + size * 2.4}Z`);

export const heart = (x, y) => moved(x, y, 1, shape(CORAL,
  "M0 10C-16 0-12-10-6-10C-2-10 0-7 0-5C0-7 2-10 6-10C12-10 16 0 0 10Z"));
