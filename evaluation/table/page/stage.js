// What an eye sees of a table, drawn if the game can be: who aims at whom as arrows, cards that go as flights.
import { html, render, useEffect, useLayoutEffect, useRef, useState } from "./vendor/preact.js";

import { CardArt, CardBack } from "./cards.js";
import * as monsterMyNeighbor from "./monster_my_neighbor.js";
import * as underMyBed from "./under_my_bed.js";

const GAMES = { monster_my_neighbor: monsterMyNeighbor, under_my_bed: underMyBed };
const FLIGHT = 900; // milliseconds

// `seen` is what an eye sees, `before` what it saw just before, if that is to be shown as a change.
export function Stage({ about, players, seen, before, views }) {
  const root = useRef(null);
  const game = GAMES[about.game];
  useEffect(() => {
    if (before && game?.exchanges) fly(root.current, game.exchanges(about, before.view, seen.view));
  }, [seen]);
  const words = html`
    <pre tabindex="0">${seen.table}</pre>
    ${seen.own && html`<pre tabindex="0" aria-label="What is seen from this seat">${seen.own}</pre>`}`;
  if (!game) return html`<div class="stage">${words}</div>`;
  const aims = [...aimed(about, seen.act), ...game.aims(about, seen.view)];
  return html`
    <div class="stage" ref=${root}>
      <${game.Scene} about=${about} players=${players} view=${seen.view} views=${views} />
      <${Arrows} root=${root} aims=${aims} />
    </div>
    <details><summary>In words</summary>${words}</details>`;
}

// The picture of an action, where the game has one.
export function Picture({ about, view, action }) {
  const game = GAMES[about.game];
  return game?.Picture && html`<${game.Picture} about=${about} view=${view} action=${action} />`;
}

// The one whom the last act has chosen.
function aimed(about, act) {
  const [, steps] = about.actions[act?.action]?.match(/^PLAYER_(\d)_TO_MY_LEFT$/) ?? [];
  return steps ? [{ from: act.seat, to: (act.seat + Number(steps)) % about.num_players }] : [];
}

// Where on the stage a place is: a seat, or what the game calls so.
function spot(root, place) {
  const box = root.querySelector(`[data-place="${place}"]`)?.getBoundingClientRect();
  if (!box) return null;
  const stage = root.getBoundingClientRect();
  const { width, height } = box;
  return { x: box.x - stage.x + width / 2, y: box.y - stage.y + height / 2, width, height };
}

function Arrows({ root, aims }) {
  const [lines, setLines] = useState([]);
  const measure = () => setLines([...new Set(aims.flatMap(({ from, to }) => {
    const [start, end] = [spot(root.current, from), spot(root.current, to)];
    return start && end ? [arrow(start, end)] : [];
  }))]); // the last act may be what a game aims at too
  const key = JSON.stringify(aims);
  useLayoutEffect(() => {
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(root.current);
    return () => watcher.disconnect();
  }, [key]);
  return html`
    <svg class="arrows" aria-hidden="true">
      <defs><marker id="tip" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="5" markerHeight="5" orient="auto">
        <path d="M0 0L10 5L0 10Z" /></marker></defs>
      ${lines.map((d) => html`<path key=${d} d=${d} marker-end="url(#tip)" />`)}
    </svg>`;
}

// From edge to edge of two boxes, a little bent.
function arrow(start, end) {
  const [from, to] = [edge(start, end), edge(end, start)];
  const bend = { x: (from.x + to.x) / 2 - (to.y - from.y) / 6, y: (from.y + to.y) / 2 + (to.x - from.x) / 6 };
  return `M${from.x} ${from.y}Q${bend.x} ${bend.y} ${to.x} ${to.y}`;
}

// Where the line from the middle of a box to that of another leaves it, and a step further inside.
function edge(box, other) {
  const [dx, dy] = [other.x - box.x, other.y - box.y];
  const share = 0.8 * Math.min(box.width / 2 / Math.abs(dx || 1), box.height / 2 / Math.abs(dy || 1), 0.6);
  return { x: Math.round(box.x + dx * share), y: Math.round(box.y + dy * share) };
}

// A card goes from place to place: its back, unless all may see which.
function fly(root, exchanges) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const { from, to, name } of exchanges) {
    const [start, end] = [spot(root, from), spot(root, to)];
    if (!start || !end) continue;
    const card = document.createElement("div");
    card.className = "flight";
    card.ariaHidden = "true";
    render(name ? html`<${CardArt} name=${name} />` : html`<${CardBack} />`, card);
    root.append(card);
    const at = ({ x, y }) => ({ transform: `translate(${x}px, ${y}px) translate(-50%, -50%)` });
    card.animate([at(start), at(end)], { duration: FLIGHT, easing: "ease-in-out", fill: "both" })
      .finished.finally(() => card.remove());
  }
}
