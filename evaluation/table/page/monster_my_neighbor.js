// Monster My Neighbor drawn: every seat's hand and face-up cards, from a View (envs/monster_my_neighbor/view.py).
import { html } from "./vendor/preact.js";
import { CardArt, CardBack } from "./cards.js";

export function Scene({ about, players, view }) {
  const n = about.num_players;
  const monster = about.monsters[view.monster];
  return html`
    <ul class="scene">
      ${players.map((_, seat) => {
        const k = (seat - view.seat + n) % n; // Views are relative to the seat that looks
        const sure = k === 0 && view.hand ? view.hand : view.known?.[k];
        const seen = cards(about, sure);
        const decides = view.to_move === k;
        return html`
          <li key=${seat} class=${decides ? "decides" : ""}>
            <h4>player_${seat}${decides ? ", who decides" : ""}${view.friend[k] ? ", a Friend" : ""}
              <span class="points">${view.vp[k]} VP</span></h4>
            <${Row} label="Hand" names=${seen} hidden=${view.hand_sizes[k] - seen.length} ...${{ about, monster }} />
            <${Row} label="Played" names=${cards(about, view.face_up[k])} hidden=${view.face_down[k]} ...${{ about }} />
          </li>`;
      })}
    </ul>`;
}

function Row({ label, names, hidden, about, monster }) {
  if (!names.length && !hidden) return null;
  const pictures = [...names, ...Array(hidden).fill("")];
  return html`
    <div class="row"><span>${label}</span>
      ${pictures.map((name, place) => html`
        <figure key=${place} title=${about.help[name] ?? ""}>
          ${name ? html`<${CardArt} name=${name} monster=${monster} />` : html`<${CardBack} />`}
          <figcaption>${name || "hidden"}</figcaption>
        </figure>`)}
    </div>`;
}

// Counts by type, as names.
function cards(about, counts = []) {
  return counts.flatMap((count, card) => Array(count).fill(about.cards[card]));
}
