// Monster My Neighbor drawn: every seat's hand and face-up cards, from a View (envs/monster_my_neighbor/view.py).
import { html } from "./vendor/preact.js";
import { CardArt, CardBack } from "./cards.js";

const DECK = "deck"; // a place besides the seats

// With `views`, those of all seats, everybody's cards are shown.
export function Scene({ about, players, view, views }) {
  const monster = about.monsters[views ? Math.max(...views.map((each) => each.monster)) : view.monster];
  return html`
    <${Middle} about=${about} view=${view} />
    <ul class="scene">
      ${players.map((_, seat) => {
        const k = relative(view, seat);
        const decides = view.to_move === k;
        const seen = cards(about, views ? views[seat].hand : k === 0 && view.hand ? view.hand : view.known?.[k]);
        return html`
          <li key=${seat} data-place=${seat} class=${decides ? "decides" : ""}>
            <h4><span>player_${seat}${decides ? ", who decides" : ""}${view.friend[k] ? ", a Friend" : ""}</span>
              <span class="points">${view.vp[k]} VP</span></h4>
            <${Row} label="Hand" names=${seen} hidden=${view.hand_sizes[k] - seen.length} about=${about} monster=${monster} />
            <${Row} label="Played" names=${cards(about, view.face_up[k])} hidden=${view.face_down[k]} about=${about} />
          </li>`;
      })}
    </ul>
    <details><summary>What each card does</summary>
      <dl>${Object.entries(about.help).map(([name, text]) => html`<dt key=${name}>${name}</dt><dd>${text}</dd>`)}</dl>
    </details>`;
}

function Middle({ about, view }) {
  const gone = about.monsters.filter((_, monster) => view.monsters_gone[monster]);
  return html`
    <p class="middle"><span data-place=${DECK}>${view.deck_left ? html`<${CardBack} />` : "no deck"}</span>
      Round ${view.round} of ${view.num_rounds} · Hunters played: ${view.hunters_played} ·
      Villagers: ${view.villagers_played}${gone.length > 0 && ` · Monsters of earlier rounds: ${gone.join(", ")}`}</p>`;
}

function Row({ label, names, hidden, about, monster }) {
  if (!names.length && !hidden) return null;
  const pictures = [...names, ...Array(hidden).fill("")];
  return html`
    <div class="row"><span>${label}</span>
      ${pictures.map((name, place) => html`
        <figure key=${place} data-help=${helpFor(about, name, monster)}>
          ${name ? html`<${CardArt} name=${name} monster=${monster} />` : html`<${CardBack} />`}
          <figcaption>${name === "monster" && monster ? monster : name || "hidden"}</figcaption>
        </figure>`)}
    </div>`;
}

function helpFor(about, name, monster) {
  const own = name === "monster" && monster ? ` ${monster}: ${about.help[monster]}` : "";
  return (about.help[name] ?? "") + own;
}

// Counts by type, as names.
function cards(about, counts = []) {
  return counts.flatMap((count, card) => Array(count).fill(about.cards[card]));
}

// Where a seat is in a View's fields: k, relative to the seat that looks; and back.
const relative = (view, seat) => (seat - view.seat + view.num_players) % view.num_players;
const seatOf = (view, k) => (view.seat + k) % view.num_players;

// The picture of an action, if it has one.
export function Picture({ about, view, action }) {
  const name = about.cards[action];
  return name && html`<${CardArt} name=${name} monster=${about.monsters[view.monster]} />`;
}

// Who is about to do something to whom: seats.
export function aims(about, view) {
  if (view.resolving < 0 || view.target < 0) return [];
  const [from, to] = [view.by, view.target].map((k) => seatOf(view, k));
  return [{ from, to }];
}

// The cards that have gone from place to place between two Views; `name` is of one that all see.
export function exchanges(about, before, after) {
  const isOver = after.phase === about.phases.indexOf("over"); // with the round, in which the Monster was shown
  if (before.round !== after.round || isOver) return [];
  const n = about.num_players;
  const seats = [...Array(n).keys()];
  const holders = seats.filter((seat) => before.hand_sizes[relative(before, seat)] > 0);
  const [by, target] = [before.by, before.target].map((k) => seatOf(before, k));
  const card = (name) => about.cards.indexOf(name);
  const isDone = (name) => before.resolving === card(name) && after.resolving !== card(name);
  const isPlayed = (name) => total(after.face_up, card(name)) > total(before.face_up, card(name));
  const isPast = (phase) => before.phase === about.phases.indexOf(phase) && after.phase !== before.phase;
  const isAt = (phase) => after.phase === about.phases.indexOf(phase) && after.phase !== before.phase;

  const hasEffect = before.turn >= 0 && before.hand_sizes[before.turn] > 1; // not as the last card (M11)
  if (isPlayed("rumor") && hasEffect) return holders.map((seat) => ({ from: seat, to: (seat + 1) % n }));
  if (isPlayed("fog") && hasEffect) return holders.flatMap((seat) => [{ from: seat, to: DECK }, { from: DECK, to: seat }]);
  if (isDone("gossip")) return holders.map((seat) => ({ from: seat, to: (seat + 1) % n }));
  if (isDone("deal") && before.target >= 0) return [{ from: by, to: target }, { from: target, to: by }];
  if (isAt("return")) return [{ from: seatOf(after, after.target), to: seatOf(after, after.by) }];
  if (isPast("return")) return [{ from: by, to: target }];
  if (isAt("friend_discard")) return [{ from: DECK, to: seatOf(after, after.by) }];
  if (isPast("friend_discard")) return [{ from: by, to: DECK }];
  if (isPast("dog_discard")) return [{ from: target, to: by }, { from: by, to: target, name: "dog" }];
  return [];
}

const total = (faceUp, card) => faceUp.reduce((sum, counts) => sum + counts[card], 0);
