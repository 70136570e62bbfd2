// The monsters of Under My Bed, drawn from their looks, and the game's other pictures.
// A body is drawn around (0, 0), some 34 wide and 38 high each way, then scaled to its size and
// stood on the floor. Looks that nobody drew (another catalogue's) get a plain default.

import {html} from "./vendor/preact.js";
import {AMBER, BARK, CORAL, CREAM, DUSK, INK, LILAC, MINT, MOON, NIGHT, PLUM, SKIN, SKY, TAN, WINE,
  WOOD, box, crescent, dot, eye, faint, fang, line, moved, oval, shape, star, turned} from "./shapes.js";

const DAYLIGHT = "#bfe3fb", WALL = "#fbd9ae";

const COLOURS = {
  red: {base: CORAL, dark: "#a3304a", light: "#ffa595"},
  green: {base: "#68c487", dark: "#23705a", light: "#b4ecbc"},
  blue: {base: "#5a9cec", dark: "#2453a3", light: "#aed4fb"},
  purple: {base: "#a376e0", dark: "#5a3699", light: "#d6bff7"},
};
const PALE = {base: "#c2bad6", dark: "#716891", light: "#ebe6f6"};

const WIDE = 34, HIGH = 38, FLOOR = 110;
const SIZES = {small: 0.54, medium: 0.82, huge: 1.08};

// The choice for a value; the default where nobody drew it (and never what objects inherit).
const choose = (choices, value, otherwise) =>
  Object.hasOwn(choices, value) ? choices[value] : otherwise;

const bothSides = (draw) => [-1, 1].map(draw);

// ---- Scenes ----

const room = (wall, sky, floor, rug, outside, curtain) => [
  box(0, 0, 120, 120, 14, wall), box(9, 7, 102, 78, 6, CREAM), box(13, 11, 94, 70, 3, sky),
  outside, line(CREAM, 3, "M60 11V81M13 48H107"),
  bothSides((side) => moved(60, 0, `${side} 1`, [
    shape(curtain, "M58 4H36C44 30 50 46 48 64L44 84H58Z"), line(WINE, 1.2, "M52 8C54 34 56 56 53 82"),
  ])),
  shape(floor, "M0 92H120V106Q120 120 106 120H14Q0 120 0 106Z"), oval(60, 109, 52, 9, rug),
];

const sunRays = [0, 45, 90, 135, 180, 225, 270, 315].map((degrees) =>
  turned(degrees, 36, 28, line(AMBER, 2.5, "M36 15V12")));

const SCENES = {
  day: () => room(WALL, DAYLIGHT, TAN, CREAM, [
    sunRays, dot(36, 28, 10.5, MOON), faint(0.9, [oval(88, 26, 9, 4.5, CREAM), oval(82, 28, 7, 4, CREAM)]),
    shape(MINT, "M13 74Q36 58 60 70T107 64V81H13Z"),
  ], CORAL),
  night: () => room(NIGHT, INK, BARK, DUSK, [
    crescent(35, 28, 10.5), [[52, 18, 3], [70, 20, 4], [84, 32, 5], [92, 17, 3], [24, 54, 4], [95, 56, 4],
      [48, 38, 2.5], [74, 42, 2.5]].map((place) => star(...place)),
  ], PLUM),
};
const anywhere = () => [box(0, 0, 120, 120, 14, LILAC), oval(60, 109, 52, 9, PALE.base)];

// ---- Skins: an outline and a texture ----

// Points of the body's ellipse, clockwise from the top, at `reach` times its radius.
const around = (count, reach) => Array.from({length: count}, (_, i) => {
  const angle = (2 * Math.PI * i) / count;
  const r = reach(i);
  return `${(WIDE * r * Math.sin(angle)).toFixed(1)} ${(-HIGH * r * Math.cos(angle)).toFixed(1)}`;
});

// One mark per place of a brick pattern within the body, from the rows `top` to `bottom`.
function tiled(top, bottom, dx, dy, mark) {
  const marks = [];
  for (let y = top, row = 0; y <= bottom; y += dy, row += 1) {
    const reach = WIDE * Math.sqrt(1 - (y / HIGH) ** 2) - dx * 0.6;
    for (let x = (row % 2) * dx / 2 - dx * 4; x <= reach; x += dx) {
      if (x >= -reach) marks.push(mark(x, y));
    }
  }
  return marks;
}

const outlined = (d, colour) => html`<path d=${d} fill=${colour.base} stroke=${colour.dark}
  stroke-width="2" stroke-linejoin="round" />`;

const fur = (colour) => [
  outlined(`M${around(44, (i) => i % 2 ? 1.1 : 0.93).join("L")}Z`, colour),
  tiled(-26, 30, 13, 9, (x, y) => line(colour.dark, 1.6, `M${x - 3} ${y}L${x - 1} ${y + 5}L${x + 1} ${y}L${x + 3} ${y + 5}`)),
];

const scales = (colour) => [
  outlined(`M0-50L7-37H-7ZM19-45L20-32L9-37ZM-19-45L-20-32L-9-37ZM33-32L30-20L22-30ZM-33-32L-30-20L-22-30Z`, colour),
  oval(0, 0, WIDE + 1, HIGH + 1, colour.dark), oval(0, 0, WIDE - 1, HIGH - 1, colour.base),
  tiled(-28, 30, 11, 7, (x, y) => html`<path d=${`M${x - 5.5} ${y - 2}A5.5 6 0 0 0 ${x + 5.5} ${y - 2}`}
    fill=${colour.light} fill-opacity="0.4" stroke=${colour.dark} stroke-width="1.5" />`),
];

const slime = (colour) => [
  faint(0.55, oval(0, 38, 44, 6, colour.dark)),
  outlined("M0-39C20-40 28-26 30-10C32 4 40 8 39 20C38 27 33 26 32 30C31 40 24 41 23 34C22 28 16 29 15 35" +
    "C14 45 4 45 3 36C2 30-5 30-6 35C-7 41-14 41-15 35C-16 29-21 29-22 34C-24 43-33 42-33 31C-33 26-39 26-39 18" +
    "C-39 6-31 4-30-10C-28-26-20-38 0-39Z", colour),
  line(colour.light, 5, "M-22-14Q-20-25-11-30"), dot(-24, -4, 2.6, colour.light),
  [[22, 4, 4], [27, 17, 2.5], [-27, 15, 3.5], [-20, 24, 2], [12, 25, 3], [20, -16, 2]].map(([x, y, r]) =>
    [dot(x, y, r, colour.light), dot(x + r * 0.2, y + r * 0.2, r * 0.6, colour.base)]),
];

const plume = (colour, x, y, degrees) => turned(degrees, x, y, [
  outlined(`M${x} ${y + 4}C${x - 8} ${y - 6} ${x - 5} ${y - 18} ${x} ${y - 22}C${x + 5} ${y - 18} ${x + 8} ${y - 6} ${x} ${y + 4}Z`, colour),
  line(colour.light, 1.5, `M${x} ${y}V${y - 15}`)]);

const feathers = (colour) => [
  [[-30, 20, -110], [-32, 8, -80], [30, 20, 110], [32, 8, 80], [-24, 30, -140], [24, 30, 140], [-8, -32, -22], [8, -32, 22],
    [0, -34, 0]].map((place) => plume(colour, ...place)),
  outlined(`M${around(20, () => 1).map((point, i) => i ? `A6 6 0 0 1 ${point}` : point).join("")}A6 6 0 0 1 0 ${-HIGH}Z`, colour),
  tiled(-27, 27, 12, 9, (x, y) => [
    html`<path d=${`M${x - 6} ${y - 4}Q${x - 6} ${y + 5} ${x} ${y + 9}Q${x + 6} ${y + 5} ${x + 6} ${y - 4}`}
      fill=${colour.base} stroke=${colour.dark} stroke-width="1.3" />`,
    shape(colour.light, `M${x - 4.5} ${y + 2}Q${x - 3} ${y + 6} ${x} ${y + 8}Q${x + 3} ${y + 6} ${x + 4.5} ${y + 2}Q${x} ${y + 5} ${x - 4.5} ${y + 2}Z`),
    line(colour.dark, 1, `M${x} ${y - 2}V${y + 4}`)]),
];

const SKINS = {fur, scales, slime, feathers};
const smooth = (colour) => outlined(`M0-38C22-38 34-20 34 0S24 38 0 38S-34 20-34 0S-22-38 0-38Z`, colour);

// ---- Limbs: behind the body, but for the claws' hands and feet ----

const claw = (x, y, degrees) => turned(degrees, x, y, shape(CREAM, `M${x - 2.6} ${y}Q${x - 2} ${y - 7} ${x + 1} ${y - 11}Q${x + 3} ${y - 5} ${x + 2.6} ${y}Z`));

const feet = (colour) => bothSides((side) => oval(side * 15, 37, 11, 5, colour.dark));

const claws = (colour) => [
  bothSides((side) => moved(0, 0, `${side} 1`, [
    line(colour.dark, 12, "M29 8Q42 10 43-8"), line(colour.base, 8, "M29 8Q42 10 43-8"),
    [[38, -12, -28], [43, -14, 0], [48, -12, 28]].map((place) => claw(...place)),
    dot(43, -9, 7.5, colour.dark), dot(43, -9, 5.5, colour.base),
    oval(16, 38, 13, 6, colour.dark), [[8, 40, 190], [16, 41, 180], [24, 40, 165]].map(([x, y, degrees]) =>
      moved(x, y, 0.65, claw(0, 0, degrees))),
  ])),
];

const tentacles = (colour) => bothSides((side) => moved(0, 0, `${side} 1`,
  ["M22 2C40 4 36-18 45-22C51-24 52-14 46-14", "M24 18C40 24 42 2 50 4C54 8 50 14 46 11", "M14 30C26 44 38 24 48 30C52 36 46 40 43 36"]
    .map((d) => [line(colour.dark, 10.5, d), line(colour.base, 7, d),
      html`<path d=${d} fill="none" stroke=${colour.light} stroke-width="2.6" stroke-linecap="round" stroke-dasharray="0.1 5" />`])));

const wings = (colour) => [feet(colour), bothSides((side) => moved(0, 0, `${side} 1`, [
  html`<path d="M20 6C26-14 34-28 46-36C50-26 53-12 51 8C47 3 43 4 41 11C37 6 33 8 31 16C28 12 24 12 20 18Z"
    fill=${colour.light} stroke=${colour.dark} stroke-width="2.2" stroke-linejoin="round" />`,
  line(colour.dark, 1.8, "M22 6L45-33M24 6Q38-10 41 10M23 8Q30 2 31 15"), dot(46, -36, 2.4, CREAM),
]))];

const LIMBS = {claws, tentacles, wings};

// ---- Heads, behind the body ----

const horns = (colour) => bothSides((side) => moved(0, 0, `${side} 1`, [
  html`<path d="M10-30C16-38 20-44 19-56C30-50 33-36 25-22Z" fill=${CREAM} stroke=${colour.dark} stroke-width="1.6" />`,
  line(AMBER, 2, "M16-37Q23-36 28-33M19-44Q24-44 28-42"),
]));

const antennae = (colour) => bothSides((side) => moved(0, 0, `${side} 1`, [
  line(colour.dark, 5, "M8-32C8-44 14-50 22-48"), line(colour.base, 2.4, "M8-32C8-44 14-50 22-48"),
  faint(0.4, dot(24, -48, 7.5, MOON)), dot(24, -48, 4.8, MOON), dot(22.8, -49.4, 1.4, CREAM),
]));

const HEADS = {horns, antennae, bare: () => []};

// ---- Faces: on the body ----

const EYES = {
  one: [[0, -10, 15]],
  two: [[-11.5, -10, 9.5], [11.5, -10, 9.5]],
  three: [[0, -22, 8], [-13, -7, 8], [13, -7, 8]],
  many: [[0, -10, 7.5], [-14, -13, 6], [14, -13, 6], [-7, -25, 5], [7.5, -25, 4.5], [-22, -2, 4], [22, -2, 4], [-9, 1, 3.6], [10, 1, 4]],
};

const lookOut = (places, colour, [dx, dy]) => places.map(([x, y, r]) =>
  [dot(x, y, r + 1.6, colour.dark), eye(x, y, r, CREAM, dx, dy)]);

const MOUTHS = {
  fangs: () => [shape(INK, "M-18 9Q0 14 18 9Q17 27 0 27T-18 9Z"), shape(CORAL, "M-8 24Q0 17 8 24Q0 28-8 24Z"),
    fang(-11, 10, 3.4), fang(11, 10, 3.4), fang(-4, 11.4, 2), fang(4, 11.4, 2)],
  beak: () => [html`<path d="M-13 11Q0 3 13 11Q8 20 0 27Q-8 20-13 11Z" fill=${AMBER} stroke=${BARK} stroke-width="1.8" />`,
    line(BARK, 1.8, "M-12 11.5Q0 17 12 11.5"), dot(-3, 9, 1, BARK), dot(3, 9, 1, BARK)],
  none: () => [],
};
const smile = () => line(INK, 2.6, "M-9 12Q0 20 9 12");

// Where it looks, and how it tilts its head: from the letters of its name.
function mannerOf(name) {
  const letters = [...String(name ?? "")].reduce((sum, letter) => sum * 7 % 997 + letter.charCodeAt(0), 0);
  return {gaze: [(letters % 5 - 2) * 0.13, (letters % 3 - 1) * 0.14], tilt: letters % 7 - 3};
}

// The monster `name` that looks like `looks`, attribute by attribute.
export function Creature({looks, name}) {
  const {eyes, colour: hue, skin, limbs, head, mouth, size, scene} = looks ?? {};
  const colour = choose(COLOURS, hue, PALE);
  const scale = choose(SIZES, size, SIZES.medium);
  const {gaze, tilt} = mannerOf(name);
  const body = [
    choose(HEADS, head, HEADS.bare)(colour), choose(LIMBS, limbs, feet)(colour), choose(SKINS, skin, smooth)(colour),
    lookOut(choose(EYES, eyes, EYES.two), colour, gaze), choose(MOUTHS, mouth, smile)(),
  ];
  return Picture([
    choose(SCENES, scene, anywhere)(), faint(0.3, oval(60, FLOOR, 40 * scale, 5 * scale, INK)),
    moved(60, FLOOR - 40 * scale, scale, turned(tilt, 0, HIGH, body)),
  ]);
}

function Picture(shapes) {
  return html`<svg viewBox="0 0 120 120" aria-hidden="true">${shapes}</svg>`;
}

// ---- The kid, the bed, and a card face down ----

// A kid in pyjamas, with a torch.
export function Kid() {
  return Picture([
    box(0, 0, 120, 120, 14, NIGHT), [[20, 22, 4], [44, 12, 3], [16, 58, 3]].map((place) => star(...place)),
    faint(0.3, shape(MOON, "M78 76L120 22V108Z")), faint(0.35, shape(MOON, "M78 76L120 40V96Z")),
    shape(DUSK, "M0 104H120V106Q120 120 106 120H14Q0 120 0 106Z"),
    box(36, 94, 11, 18, 4, SKY), box(51, 94, 11, 18, 4, SKY),
    [40, 58].map((x) => [oval(x, 112, 10, 5, CORAL), oval(x - 4, 106, 1.8, 4, CORAL), oval(x + 2, 106, 1.8, 4, CORAL)]),
    box(32, 68, 34, 34, 11, SKY), line(CREAM, 3, "M34 79H64M34 87H64M34 95H64"),
    line(SKY, 10, "M36 76L26 92M60 77L70 80"), dot(25, 95, 5, SKIN),
    turned(-8, 74, 80, [box(66, 76, 15, 8, 2, WINE), shape(WINE, "M80 74L88 71V89L80 86Z"), oval(88, 80, 2.5, 9, MOON)]),
    dot(73, 82, 5, SKIN), dot(49, 48, 25, SKIN), dot(24, 52, 5, SKIN), dot(74, 52, 5, SKIN),
    shape(BARK, "M23 50C14 26 30 16 42 20C44 12 54 12 54 18C66 14 80 26 75 48C72 42 68 38 64 36C60 40 54 40 50 36C42 42 28 40 23 50Z"),
    eye(41, 50, 6.5, CREAM, 0.35), eye(61, 50, 6.5, CREAM, 0.35), line(BARK, 2.2, "M35 40L43 39M58 39L66 40"),
    faint(0.55, [oval(34, 60, 4.5, 3, CORAL), oval(66, 60, 4.5, 3, CORAL)]), line(INK, 2.4, "M45 63Q51 67 57 62"),
  ]);
}

// A bed, and what is under it.
export function Bed() {
  return Picture([
    box(0, 0, 120, 120, 14, DUSK), box(64, 10, 40, 34, 4, CREAM), box(67, 13, 34, 28, 2, INK),
    crescent(82, 27, 8), star(94, 20, 3), star(74, 35, 2.5), line(CREAM, 2, "M84 13V41"),
    shape(WOOD, "M0 98H120V106Q120 120 106 120H14Q0 120 0 106Z"),
    shape(INK, "M12 78H108V103L98 100L92 104L80 101L66 105L50 101L38 105L26 101L12 104Z"),
    eye(50, 91, 6.5, MOON, 0.2), eye(68, 91, 6.5, MOON, 0.2),
    line(PLUM, 6, "M88 100C98 110 104 102 109 108C112 113 104 115 103 110"),
    line(BARK, 7, "M12 44V108M108 62V108"), shape(TAN, "M8 84V38Q22 28 30 44V84ZM104 84V58Q110 54 112 60V84Z"),
    oval(36, 59, 18, 9, CREAM), box(12, 66, 96, 16, 3, CREAM),
    shape(CORAL, "M40 64Q60 50 82 56T106 66V86L98 82L90 88L82 82L74 88L66 82L58 88L50 82L42 86Z"),
    [[56, 69, 4], [74, 65, 5], [92, 72, 4], [66, 77, 3]].map((place) => star(...place)),
  ]);
}

// A player's card, face down: somebody under a blanket.
export function HiddenFace() {
  return Picture([
    box(1, 1, 118, 118, 14, INK), box(3, 3, 114, 114, 12, CREAM), box(8, 8, 104, 104, 8, NIGHT),
    [[22, 24, 5], [98, 24, 5], [20, 60, 3], [101, 58, 3], [60, 17, 3]].map((place) => star(...place)),
    shape(MOON, "M74 42C78 34 78 28 76 22C88 28 90 42 84 54Z"),
    shape(LILAC, "M24 108C28 84 24 34 60 30C96 34 92 84 96 108L88 102L80 110L70 102L60 110L50 102L40 110L32 102Z"),
    line(PLUM, 2, "M36 96Q40 84 38 74M84 96Q80 84 82 74"),
    oval(47, 56, 9, 10, INK), oval(73, 56, 9, 10, INK), eye(47, 57, 5.5, MOON, 0.25), eye(73, 57, 5.5, MOON, 0.25),
    line(CORAL, 5, "M53 79C53 70 68 70 67 79C66 85 60 84 60 90"), dot(60, 97, 3.2, CORAL),
  ]);
}
