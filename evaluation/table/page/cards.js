// The cards of Monster My Neighbor, drawn.
// Every picture is a list of shapes on a 100 x 140 card; the frame, drawn last, covers their edges.

import {html} from "./vendor/preact.js";
import {AMBER, BARK, CORAL, CREAM, DUSK, INK, LILAC, MINT, MOON, NIGHT, PINE, PLUM, SEA, SKIN,
  SKY, TAN, WINE, WOOD, beads, blush, box, crescent, dot, eyes, faint, fang, heart, line, moved,
  oval, shape, star, stars, turned} from "./shapes.js";

const ground = (fill, y, bend = 6) => shape(fill, `M4 ${y}Q50 ${y - bend * 2} 96 ${y}V136H4Z`);

// ---- The cards, but for the monsters: the ground's colour, and the shapes ----

const wanted = () => [WOOD, [
  line(BARK, 2, "M4 36H96M4 70H96M4 104H96M30 4V36M70 36V70M24 70V104M62 104V136"),
  shape(BARK, "M22 25L82 22L85 121L20 124Z"),
  shape(CREAM, "M19 21L80 18L82 118L72 113L62 119L52 114L41 120L30 115L18 120Z"),
  line(CORAL, 7, "M28 31.5L72 29.5"),
  box(27, 41, 46, 47, 3, DUSK),
  shape(INK, "M31 88C30 74 36 76 36 64C32 58 32 50 34 46C38 48 41 51 43 54Q50 51 57 54" +
    "C59 51 62 48 66 46C68 50 68 58 64 64C64 76 70 74 69 88Z"),
  eyes(50, 7, 64, 4.6, MOON),
  [36, 50, 64].map((x) => [dot(x, 101, 5.5, AMBER), dot(x, 101, 3, MOON)]),
  dot(50, 19, 3.6, CORAL), dot(49, 18, 1.2, CREAM),
]];

const hunter = () => [PINE, [
  dot(74, 30, 14, MOON),
  shape(INK, "M4 96L14 56L26 96ZM68 104L86 50L104 104ZM4 104H96V136H4Z"),
  line(TAN, 4, "M22 130V40"),
  html`<circle cx="22" cy="28" r="13" fill="none" stroke=${CREAM} stroke-width="3.5" />`,
  line(CREAM, 1.3, "M13 22L29 38M19 17L34 31M31 20L14 37M25 16L10 31"),
  shape(WOOD, "M22 136C22 106 34 96 52 96S82 106 82 136Z"),
  line(BARK, 2, "M52 106V136"), dot(57, 116, 2, MOON), dot(57, 126, 2, MOON),
  dot(52, 77, 19, SKIN),
  shape(CORAL, "M33 91Q52 104 71 91L73 100Q52 115 31 100Z"),
  eyes(52, 8, 74, 4.6, CREAM, 0.35),
  line(BARK, 3, "M38 68L48 70M66 68L56 70"),
  oval(52, 80, 4, 3.4, CORAL),
  shape(BARK, "M52 82C46 79 38 82 34 90C41 93 49 92 52 87C55 92 63 93 70 90C66 82 58 79 52 82Z"),
  shape(WOOD, "M36 64C35 44 42 36 52 40C62 36 69 44 68 64Z"),
  shape(MOON, "M35.5 57Q52 62 68.5 57V65H35.5Z"),
  oval(52, 64, 31, 5.5, BARK),
  shape(MINT, "M64 60C74 54 78 44 76 36C68 40 63 50 64 60Z"),
  line(INK, 2, "M73 108Q80 96 87 108"),
  faint(0.35, dot(80, 116, 15, MOON)),
  box(73, 108, 14, 18, 3, INK), box(75.5, 111, 9, 12, 2, MOON),
  shape(AMBER, "M80 113Q84 118 80 122Q76 118 80 113Z"),
  dot(72, 110, 5, SKIN),
]];

const hide = () => [NIGHT, [
  crescent(76, 27, 11), stars([22, 24], [44, 16, 2.5], [57, 32, 2], [34, 38, 2]),
  shape(WOOD, "M4 136V60Q50 34 96 60V136Z"), shape(TAN, "M11 136V66Q50 44 89 66V136Z"),
  box(15, 60, 70, 42, 18, CREAM),
  dot(50, 76, 22, SKIN),
  shape(BARK, "M27 80C24 58 38 50 50 50C52 46 58 46 58 50C70 54 76 66 73 80C70 72 64 68 60 64" +
    "C58 70 50 70 46 66C42 72 30 70 27 80Z"),
  eyes(50, 9.5, 81, 7, CREAM, 0, -0.15),
  shape(CORAL, "M4 93Q27 86 50 92T96 91V136H4Z"),
  shape(PLUM, "M4 93Q16 89.5 28 89.5V113H4ZM50 92Q62 95 73 94.5V113H50ZM28 113H50V136H28ZM73 113H96V136H73Z"),
  stars([16, 103, 5], [62, 125, 5], [61, 104, 5], [39, 124, 5]),
  line(CREAM, 1.2, "M4 113H96M28 90V136M50 92V136M73 94V136"),
  [29, 34, 39, 61, 66, 71].map((x) => line(SKIN, 5, `M${x} 90V96`)),
]];

const villager = () => [DUSK, [
  shape(INK, "M4 78L22 54L40 78V136H4Z"), box(14, 84, 12, 14, 2, MOON),
  line(INK, 2, "M20 84V98M14 91H26"),
  stars([20, 24], [36, 38, 2.5], [84, 76, 3], [60, 18, 2.5]),
  shape(CREAM, "M22 136C22 110 34 99 50 99S78 110 78 136Z"),
  line(SKY, 4, "M36 106V136M50 110V136M64 106V136"),
  dot(50, 80, 21, SKIN), blush(50, 12, 87),
  line(INK, 2.5, "M37 79Q41 83 45 79M55 79Q59 83 63 79"),
  oval(50, 91, 4, 5, WINE), oval(50, 85, 2.5, 2, CORAL),
  shape(SKY, "M28 68C28 46 46 28 66 34C80 38 86 52 84 64C78 56 73 56 71 68Z"),
  line(CREAM, 4, "M41 45Q52 48 62 58M53 35Q66 40 72 54"),
  box(26, 63, 48, 10, 5, CREAM), dot(84, 67, 6, CORAL),
  faint(0.3, dot(24, 98, 17, MOON)), faint(0.4, dot(24, 98, 10, MOON)),
  shape(AMBER, "M24 87C31 96 29 103 24 103S17 96 24 87Z"),
  box(20, 103, 8, 17, 2, CREAM), box(14, 119, 20, 5, 2.5, MOON), dot(33, 118, 5, SKIN),
]];

const dog = () => [SEA, [
  dot(50, 52, 37, MOON), ground(PINE, 116),
  shape(TAN, "M26 136C24 112 34 100 50 100S76 112 74 136Z"),
  shape(CREAM, "M40 136C38 118 42 108 50 108S62 118 60 136Z"),
  shape(TAN, "M27 66C26 42 38 34 50 34S74 42 73 66C74 90 64 100 50 100S26 90 27 66Z"),
  shape(CREAM, "M45 34.5H55C53 54 58 66 66 76C72 92 62 100 50 100S28 92 34 76C42 66 47 54 45 34.5Z"),
  shape(WOOD, "M36 38C20 32 10 48 12 66C13 82 22 88 26 80C32 66 34 54 36 38Z"),
  shape(WOOD, "M64 38C78 22 92 26 92 36C92 46 80 58 72 58Z"),
  eyes(50, 11.5, 60, 5.5, CREAM, 0.2, 0.1), line(BARK, 2.5, "M32 50Q38 46 43 50M57 48Q63 43 69 48"),
  shape(CORAL, "M45 87H56V99Q56 106 50.5 106T45 99Z"), line(WINE, 1.5, "M50.5 90V99"),
  line(INK, 2.5, "M36 84Q43 92 50 85Q57 92 64 84M50 85V78"),
  shape(INK, "M42 73Q50 68 58 73Q58 80 50 81Q42 80 42 73Z"), oval(47, 73.5, 2, 1.2, CREAM),
  line(CORAL, 6, "M31 112Q50 122 69 112"), dot(50, 120, 5.5, MOON), dot(50, 120, 2, INK),
]];

const bubble = (x, y, rx, ry, tail) => [oval(x, y, rx, ry, CREAM), shape(CREAM, tail)];

const rumor = () => [PLUM, [
  bubble(31, 109, 18, 14, "M16 112L12 130L30 120Z"),
  shape(SEA, "M23 116C22 102 40 102 39 116Z"), beads(31, 3, 110, 1.4),
  bubble(66, 82, 23, 18, "M52 90L46 108L66 97Z"),
  shape(PINE, "M53 93C52 76 56 70 58 66L62 72H70L74 66C76 70 80 76 79 93Z"),
  eyes(66, 5, 79, 3.4), line(CREAM, 2, "M61 87H71"),
  bubble(46, 39, 37, 27, "M56 58L70 72L34 62Z"),
  shape(WINE, "M22 60C20 50 24 44 26 40C20 36 20 26 24 20C28 24 32 26 34 28Q46 20 58 28" +
    "C60 26 64 24 68 20C72 26 72 36 66 40C68 44 72 50 70 60Z"),
  eyes(46, 10, 38, 6.5, MOON), line(INK, 2.5, "M30 29L41 33M62 29L51 33"),
  shape(INK, "M30 49Q46 54 62 49Q60 60 46 60T30 49Z"), [36, 43, 50, 57].map((x) => fang(x, 50.5, 2.2)),
]];

const gossip = () => [AMBER, [
  dot(50, 44, 26, MOON),
  shape(WINE, "M4 136V116C8 102 20 96 30 98S48 108 48 136Z"),
  shape(SEA, "M52 136C52 108 60 98 70 98S92 102 96 116V136Z"),
  dot(30, 56, 9, LILAC), dot(27, 82, 20, LILAC), oval(32, 86, 16, 17, SKIN),
  dot(77, 78, 18, BARK), oval(69, 81, 16, 17, TAN),
  [[61, 62], [71, 58], [82, 61], [90, 70]].map(([x, y]) => [dot(x, y, 6, CORAL), dot(x, y, 2.5, WINE)]),
  eyes(33, 7, 82, 4.8, CREAM, 0.45), eyes(68, 7, 77, 4.8, CREAM, -0.45),
  line(INK, 1.5, "M20 82Q26 74 33 82Q39 74 46 82"), blush(34, 11, 91),
  oval(43, 95, 4, 3, WINE), oval(66, 91, 5, 5, WINE),
  line(SKIN, 7, "M40 112L50 95"), line(WINE, 10, "M30 124L38 114"),
  bubble(34, 27, 20, 13, "M36 38L40 56L48 36Z"), bubble(69, 36, 19, 13, "M62 46L60 60L74 47Z"),
  [26, 34, 42].map((x) => dot(x, 27, 2.6, CORAL)),
  shape(SEA, "M66.5 39L71.5 39L74 27L64 27Z"), dot(69, 44, 2.6, SEA),
  [13, 33, 53, 73].map((x) => shape(CREAM, `M${x - 8} 136V114L${x} 106L${x + 8} 114V136Z`)),
  shape(CREAM, "M84 136V114L92 106L97 111V136Z"), box(4, 119, 92, 5, 0, LILAC),
]];

const steal = () => [NIGHT, [
  stars([18, 22], [82, 18, 3], [50, 14, 2.5], [88, 52, 2.5], [12, 54, 2]),
  line(LILAC, 15, "M76 126C96 116 90 92 80 84"), line(INK, 5, "M80 118L92 124M83 104L95 102M76 92L86 84"),
  shape(LILAC, "M22 136C20 106 34 94 50 94S80 106 78 136Z"),
  shape(LILAC, "M22 30L40 40H60L78 30C82 44 82 56 78 66L86 78C76 94 64 98 50 98S24 94 14 78L22 66C18 56 18 44 22 30Z"),
  shape(CORAL, "M26 37L37 43L27 52ZM74 37L63 43L73 52Z"),
  shape(INK, "M50 60C40 50 22 54 18 76C28 84 42 80 50 70C58 80 72 84 82 76C78 54 60 50 50 60Z"),
  eyes(50, 15, 67, 6.5, MOON, -0.3, 0.2),
  oval(50, 84, 13, 10, CREAM), oval(50, 79, 5, 3.6, INK), line(INK, 2, "M50 82Q48 90 41 87M50 82Q52 90 60 86"),
  turned(-8, 50, 114, [box(33, 98, 34, 46, 4, CREAM), box(37, 102, 26, 38, 2, CORAL), star(50, 116, 9)]),
  [31, 36, 41].map((y, i) => line(INK, 5.5, `M${24 + i} ${79 + y}L36 ${77 + y}`)),
  [31, 36, 41].map((y, i) => line(INK, 5.5, `M${76 - i} ${77 + y}L64 ${75 + y}`)),
]];

const friend = () => [SKY, [
  dot(50, 70, 44, CREAM), ground(MINT, 112),
  heart(50, 33), moved(28, 44, 0.5, heart(0, 0)), moved(74, 42, 0.5, heart(0, 0)),
  shape(PLUM, "M54 124C52 96 54 72 60 60L62 50L69 57Q73 56 77 57L84 50L86 60C94 76 94 100 92 124" +
    "L86 118L80 124L73 118L66 124L60 118Z"),
  eyes(73, 8, 73, 6, CREAM, -0.35), line(INK, 2.5, "M64 86Q72 93 81 86"), fang(68, 87.5, 2), blush(73, 14, 83),
  line(SKIN, 6, "M36 98L49 106"), line(PLUM, 8, "M62 96L51 106"),
  box(17, 92, 22, 26, 8, CORAL), line(MOON, 3, "M18 102H38M18 110H38"),
  line(NIGHT, 8, "M23 118V124M33 118V124"), dot(28, 77, 16, SKIN),
  shape(BARK, "M11 78C10 58 24 56 29 59C40 56 47 66 45 76C40 72 36 70 34 67C28 72 16 70 11 78Z"),
  beads(30, 6, 79, 2.2), line(INK, 2.3, "M25 86Q30 91 35 86"), blush(30, 10, 85),
]];

const fog = () => [DUSK, [
  faint(0.3, dot(68, 36, 24, MOON)), dot(68, 36, 15, MOON),
  shape(NIGHT, "M4 92Q26 66 50 80T96 74V136H4Z"),
  shape(INK, "M20 88V62L16 62L34 42L40 48V40H47V56L53 62H49V88Z"),
  [[26, 65], [37, 65]].map(([x, y]) => box(x, y, 7, 9, 1, MOON)),
  line(INK, 4, "M80 96V70M80 84L90 72M80 80L70 70"),
  faint(0.55, [line(LILAC, 13, "M11 84H46"), line(LILAC, 11, "M64 88H90")]),
  faint(0.7, [line(LILAC, 15, "M30 102H88"), line(LILAC, 9, "M9 32H34")]),
  shape(NIGHT, "M52 124C50 96 58 88 68 88S86 96 84 124Z"), eyes(68, 7, 102, 5, MOON, -0.2),
  line(CREAM, 15, "M12 116H52"), faint(0.85, line(CREAM, 15, "M46 122H88")), box(4, 124, 92, 12, 8, CREAM),
]];

const smallCard = (x, y, degrees, fill) => turned(degrees, x, y, [
  box(x - 11, y - 15, 22, 30, 4, CREAM), box(x - 8, y - 12, 16, 24, 2, fill), star(x, y, 6)]);

const deal = () => [WINE, [
  smallCard(27, 36, -10, SEA), smallCard(73, 36, 10, DUSK),
  line(MOON, 3, "M42 20Q50 14 57 19M53 14L57.5 19L52 22M58 52Q50 58 43 53M47 58L42.5 53L48 50"),
  shape(MINT, "M96 132V107L68 85L56 99L92 128Z"), line(PINE, 2.5, "M80 98L84 94M88 104L92 99M74 108L71 112M84 115L81 119"),
  shape(SKY, "M4 136V104L16 94L33 113L8 136Z"), line(CREAM, 22, "M25 103L27 101.5"),
  line(SKIN, 17, "M30 99L54 86"), line(SKIN, 6.5, "M40 88L50 76"),
  [0, 1, 2, 3].map((i) => [
    line(MINT, 7.5, `M${66 - i * 2} ${84 + i * 8}L${44 + i * 2} ${84 + i * 8}`),
    shape(CREAM, `M${43 + i * 2} ${81 + i * 8}L${34 + i * 2} ${85 + i * 8}L${43 + i * 2} ${87 + i * 8}Z`)]),
  line(MINT, 8, "M66 86L58 74"), shape(CREAM, "M54 73L54 64L61 71Z"),
  stars([20, 72, 5], [80, 70, 5], [50, 124, 5]),
]];

// ---- The monsters ----

const bat = (x, y, scale) => moved(x, y, scale, shape(INK,
  "M0-3L2-6L4-2C9-8 16-7 20-3C15-3 14 0 13 3C10 0 8 2 6 5L2 7L-2 5C-4 2-6 0-9 3C-10 0-11-3-16-3C-12-7-5-8 0-3Z"));

const vampire = () => [WINE, [
  dot(50, 54, 38, CORAL), bat(20, 24, 0.8), bat(80, 20, 0.7),
  shape(INK, "M10 136C12 104 8 88 6 72C22 80 34 92 50 100C66 92 78 80 94 72C92 88 88 104 90 136Z"),
  shape(CORAL, "M14 84C26 90 38 100 44 136H24C24 114 20 98 14 84ZM86 84C74 90 62 100 56 136H76C76 114 80 98 86 84Z"),
  shape(CREAM, "M41 100H59L55 136H45Z"), shape(MOON, "M50 106L40 101V112ZM50 106L60 101V112Z"),
  shape(LILAC, "M24 62L14 54L24 76ZM76 62L86 54L76 76Z"),
  shape(LILAC, "M25 60C25 40 38 34 50 34S75 40 75 60C75 84 62 104 50 104S25 84 25 60Z"),
  shape(INK, "M23 66C18 36 36 24 50 24S82 36 77 66C74 54 66 48 60 48L50 60L40 48C34 48 26 54 23 66Z"),
  eyes(50, 11, 69, 6, MOON), line(INK, 3, "M33 59L44 63M67 59L56 63"),
  shape(WINE, "M37 84Q50 90 63 84Q60 95 50 95T37 84Z"), fang(42.5, 85.5, 2.4), fang(57.5, 85.5, 2.4),
]];

const werewolf = () => [NIGHT, [
  dot(50, 54, 40, MOON), faint(0.5, [dot(26, 44, 5, AMBER), dot(76, 66, 4, AMBER), dot(70, 30, 3, AMBER)]),
  shape(DUSK, "M14 136L16 116L22 118L26 106L34 108L50 100L66 108L74 106L78 118L84 116L86 136Z"),
  shape(CORAL, "M28 136L30 120L38 128L44 120L50 129L56 120L62 128L70 120L72 136Z"),
  shape(DUSK, "M24 22C32 26 40 34 43 40H57C60 34 68 26 76 22C80 34 80 46 76 56L84 68L78 72L82 84L72 86L70 96" +
    "L60 96L50 110L40 96L30 96L28 86L18 84L22 72L16 68L24 56C20 46 20 34 24 22Z"),
  shape(CORAL, "M28 31C34 35 38 40 39 44L29 52ZM72 31C66 35 62 40 61 44L71 52Z"),
  shape(SKY, "M50 58C60 58 64 70 68 78C66 90 58 98 50 104C42 98 34 90 32 78C36 70 40 58 50 58Z"),
  eyes(50, 14, 60, 6, MOON), line(INK, 3.5, "M28 50L43 56M72 50L57 56"),
  shape(INK, "M36 83Q50 77 64 83Q62 98 50 99T36 83Z"), [40.5, 46, 54, 59.5].map((x) => fang(x, 81.5, 2.4)),
  shape(CORAL, "M44 96Q50 88 56 96Q50 100 44 96Z"), shape(INK, "M42 70Q50 65 58 70Q57 77 50 78Q43 77 42 70Z"),
]];

const tail = (degrees) => turned(degrees, 50, 108, [
  shape(AMBER, "M50 108C36 84 36 54 50 24C64 54 64 84 50 108Z"), shape(CREAM, "M40.5 52Q43 38 50 24Q57 38 59.5 52L55 47L50 54L45 47Z"),
  line(WINE, 1.2, "M50 108C36 84 36 54 50 24C64 54 64 84 50 108")]);

const goomiho = () => [DUSK, [
  stars([14, 18], [86, 18], [14, 124, 3], [86, 124, 3]),
  moved(6, 10, 0.88, [-80, 80, -60, 60, -40, 40, -20, 20, 0].map(tail)),
  shape(CORAL, "M28 136C28 116 38 106 50 106S72 116 72 136Z"), shape(CREAM, "M42 136L50 108L58 136Z"),
  shape(AMBER, "M26 54C34 58 40 64 43 68H57C60 64 66 58 74 54C77 64 77 74 74 80L80 92C70 104 58 108 50 116" +
    "C42 108 30 104 20 92L26 80C23 74 23 64 26 54Z"),
  shape(WINE, "M30 61L40 70L30 77ZM70 61L60 70L70 77Z"),
  shape(CREAM, "M20 92C32 86 42 92 50 104C58 92 68 86 80 92C70 104 58 108 50 116C42 108 30 104 20 92Z"),
  shape(INK, "M30 82Q40 78 45 89Q36 92 30 82ZM70 82Q60 78 55 89Q64 92 70 82Z"),
  dot(38.5, 85.5, 2.2, MOON), dot(61.5, 85.5, 2.2, MOON), oval(50, 113, 4, 3.4, INK),
  shape(CORAL, "M50 70L54 77L50 84L46 77Z"),
]];

const wave = (fill, y) => shape(fill, `M4 ${y}Q12 ${y - 8} 20 ${y}T36 ${y}T52 ${y}T68 ${y}T84 ${y}L96 ${y + 4}V136H4Z`);

const mermaid = () => [SEA, [
  dot(26, 28, 15, MOON), stars([52, 18], [86, 22, 3], [68, 34, 2.5]), wave(SKY, 100),
  shape(MINT, "M78 128C70 104 74 88 82 74L86 76C92 92 92 110 90 128Z"),
  shape(MINT, "M84 80C70 76 64 64 66 54C76 56 82 62 84 68C86 62 90 56 96 53V74C93 78 89 80 84 80Z"),
  line(PINE, 2, "M78 96Q82 100 87 96M77 106Q82 110 88 106M84 68V76"),
  shape(CORAL, "M20 126C12 96 12 76 18 62C24 48 58 46 66 62C72 78 72 96 62 126Z"),
  shape(SKIN, "M26 136C26 112 34 104 42 104S58 112 58 136Z"), dot(42, 76, 20, SKIN),
  shape(CORAL, "M20 82C18 56 34 50 43 51C58 50 66 62 64 82C62 74 54 70 48 62C42 70 24 70 20 82Z"),
  moved(28, 55, 1.3, star(0, 0, 7)), eyes(42, 9, 78, 5.5, CREAM, 0.2), blush(42, 13, 86),
  line(INK, 2, "M27 73L34 70M57 73L50 70"),
  shape(WINE, "M33 87Q42 91 51 87Q49 96 42 96T33 87Z"), [37, 42, 47].map((x) => fang(x, 88.5, 1.7)),
  wave(SKY, 117), wave(NIGHT, 126),
]];

const mandrake = () => [PINE, [
  crescent(80, 26, 9), stars([16, 30], [28, 16, 2.5]),
  shape(MINT, "M48 56C28 54 18 40 20 26C36 28 46 40 50 54C44 36 46 20 54 10C62 22 62 40 53 54C58 42 70 34 84 40C82 54 68 60 52 57Z"),
  line(PINE, 2, "M50 54C42 44 34 36 27 33M52 52V22M54 54C62 47 70 44 77 44"),
  shape(BARK, "M4 122Q26 112 50 120T96 118V136H4Z"),
  line(TAN, 8, "M30 86C18 86 14 76 14 66M14 70L8 62M14 70L20 62M70 86C82 86 86 76 86 68M86 72L80 64M86 72L92 64"),
  line(TAN, 8, "M42 114C38 120 36 124 30 126M58 114C62 120 64 124 70 126"),
  shape(TAN, "M27 76C25 58 38 52 50 54S75 58 73 76C72 96 62 104 56 120Q50 128 44 120C38 104 28 96 27 76Z"),
  line(WOOD, 2, "M30 84H38M64 90H70M44 110H54M36 62Q42 58 46 60"),
  eyes(50, 10, 73, 6.5), line(BARK, 3, "M33 67L44 63M67 67L56 63"),
  oval(50, 93, 9, 11, WINE), oval(50, 99, 5, 4, CORAL),
  line(MOON, 2.5, "M12 98L18 101M10 108L17 107M88 98L82 101M90 108L83 107"),
]];

const masked = () => [PLUM, [
  faint(0.5, dot(50, 66, 42, LILAC)), stars([18, 20], [82, 22], [50, 16, 3]),
  shape(INK, "M10 136C8 118 14 112 12 100L20 100L18 84L26 82C24 70 16 60 20 38C28 44 36 48 40 54H60" +
    "C64 48 72 44 80 38C84 60 76 70 74 82L82 84L80 100L88 100C86 112 92 118 90 136Z"),
  shape(MOON, "M26 52L20 38L33 47ZM74 52L80 38L67 47Z"),
  line(TAN, 4, "M80 78L84 124"),
  shape(CREAM, "M14 66C28 58 40 64 50 70C60 64 72 58 86 66C86 86 74 94 64 94C56 94 54 86 50 86S44 94 36 94C26 94 14 86 14 66Z"),
  shape(CORAL, "M50 72L54 78L50 84L46 78ZM18 70L24 75L21 80ZM82 70L76 75L79 80Z"),
  oval(34, 78, 9, 7.5, INK), oval(66, 78, 9, 7.5, INK), eyes(50, 16, 78, 5, MOON, 0.25),
  shape(CREAM, "M38 103L62 103L59 109L56 104L53 111L50 104L47 111L44 104L41 109Z"),
  [116, 122, 128].map((y) => line(DUSK, 7, `M78 ${y}H88`)),
]];

// ---- What the page uses ----

const CARDS = {wanted, hunter, hide, villager, dog, rumor, gossip, steal, friend, fog, deal};
const MONSTERS = {vampire, werewolf, goomiho, mermaid, mandrake};

// The picture of a group, by name: never of what every object inherits.
const named = (pictures, name) => Object.hasOwn(pictures, name) ? pictures[name] : masked;

const frame = () => [
  html`<rect x="4" y="4" width="92" height="132" rx="9" fill="none" stroke=${CREAM} stroke-width="6" />`,
  html`<rect x="1" y="1" width="98" height="138" rx="11" fill="none" stroke=${INK} stroke-width="2" />`,
];

function Card([fill, shapes]) {
  return html`<svg viewBox="0 0 100 140" aria-hidden="true">
    ${box(4, 4, 92, 132, 9, fill)}${shapes}${frame()}</svg>`;
}

// The face of the card `name`; of a monster, which one, or a masked one where it is unknown.
export function CardArt({name, monster}) {
  return Card(name === "monster" ? named(MONSTERS, monster)() : named(CARDS, name)());
}

// A house at night that looks back at you.
export function CardBack() {
  return Card([NIGHT, [
    [20, 50, 80].flatMap((x) => [20, 120].map((y) => star(x, y, x === 50 ? 6 : 4))), dot(50, 70, 36, MOON),
    shape(WINE, "M22 68L50 36L58 45V38H66V54L78 68Z"), box(28, 66, 44, 38, 2, INK),
    eyes(50, 11, 74, 7, MOON), line(WINE, 3, "M32 65H45M55 65H68"),
    shape(CORAL, "M38 104V95Q38 87 50 87T62 95V104Z"), [43, 50, 57].map((x) => fang(x, 88.5, 2.6)),
    line(PINE, 5, "M18 104H82"),
  ]]);
}
