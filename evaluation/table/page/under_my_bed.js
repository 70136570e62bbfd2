// Under My Bed drawn: the bed, the line-up, and what every seat has said, from a View (envs/under_my_bed/view.py).
import { html, useMemo } from "./vendor/preact.js";
import { Bed, Creature, HiddenFace, Kid } from "./creatures.js";

// `views`, where given, are those of all seats: then every card is shown, and what lies under the bed.
export function Scene({ about, players, view, views }) {
  const cards = players.map((_, seat) => cardOf(view, views, seat));
  const slots = slotsOf(view);
  const bed = underBed(slots, cards);
  const shared = { about, view, slots, cards };
  return html`
    <div class="bedroom">
      <${Bedside} ...${shared} bed=${bed} />
      <h4>The line-up</h4>
      <p>${slots.length ? "A number marks a player whose claims the monster fits." : "It is not drawn yet."}</p>
      <ul class=${`lineup by-${columns(slots.length)}`}>
        ${slots.map((slot) => html`<${Suspect} key=${slot} ...${shared} slot=${slot} bed=${bed} />`)}
      </ul>
      <ul class="sleepers">
        ${players.map((_, seat) => html`
          <${Player} key=${seat} ...${shared} seat=${seat} own=${!views && isOwn(view, seat)} />`)}
      </ul>
    </div>`;
}

// Who asks or accuses whom now, by absolute seats.
export function aims(about, view) {
  const aim = (from, to, label) => ({ from: seatOf(view, from), to: seatOf(view, to), label });
  const last = view.num_asked - 1;
  if (isAsking(view)) return [aim(view.asker, view.answerer, "asks")];
  if (view.voting) return [aim(view.accusers[last], view.accused[last], "accuses")];
  return [];
}

// ---- The bed ----

function Bedside({ about, view, cards, bed }) {
  const begun = view.num_asked + ["ask_player", "ask_question"].includes(about.phases[view.phase]);
  const monster = bed === null ? "" : monsterAt(about, view, bed);
  return html`
    <div class="bedside">
      <figure><${Bed} /></figure>
      ${monster && html`<figure class="found"><${Portrait} monster=${monster} /></figure>`}
      <div>
        <h4>Under the bed: ${monster ? monster.name : "one of the line-up"}</h4>
        <p class="now">${isOver(view) ? ending(about, view, cards) : situation(about, view)}</p>
        <p>Question ${begun} of ${view.max_questions}
          <progress max=${view.max_questions} value=${view.num_asked} aria-label="Questions asked"></progress></p>
      </div>
    </div>`;
}

function situation(about, view) {
  const last = view.num_asked - 1;
  const [asker, answerer] = [nameOf(view, view.asker), nameOf(view, view.answerer)];
  switch (about.phases[view.phase]) {
    case "ask_player":
      return `${asker} chooses whom to ask.`;
    case "ask_question":
      return `${asker} turns to ${answerer}, and thinks of a question.`;
    case "answer":
      return `${asker} asks ${answerer}: “${questionAt(about, view, last)}”`;
    case "vote":
      return `${nameOf(view, view.accusers[last])} accuses ${nameOf(view, view.accused[last])}. The others vote in secret.`;
    default: // a window, or chance between two of its polls
      if (last < 0) return "The cards are dealt.";
      if (view.accused[last] >= 0) return "The accusal has failed. Only the kid may act on it.";
      return `Whoever is sure may accuse. ${count(view.passed)} of ${view.num_players} have passed.`;
  }
}

function ending(about, view, cards) {
  const kid = cards.includes(about.kid) ? `player_${cards.indexOf(about.kid)}, the kid,` : "The kid";
  const accused = nameOf(view, view.accused[view.num_asked - 1]);
  return {
    kid_caught: `${accused} is the kid, and is caught: the monsters win.`,
    wrong_accusal: `All have agreed on ${accused}, who is a monster: the kid wins.`,
    checked_right: `${kid} looks under the bed, and has guessed what lies there: the kid wins.`,
    checked_wrong: `${kid} looks under the bed, and has guessed wrong: the monsters win.`,
    time: `The last question has been asked. ${kid} has not been caught: the kid wins.`,
  }[about.outcomes[view.outcome]];
}

// ---- The line-up ----

function Suspect({ about, view, slots, cards, slot, bed }) {
  const monster = monsterAt(about, view, slot);
  const fitted = seatsFitted(view, slot);
  return html`
    <li class=${fitted.length ? "" : "fits-nobody"}>
      <figure data-help=${monster.character || undefined} tabindex=${monster.character ? 0 : undefined}>
        <${Portrait} monster=${monster} />
        <figcaption>${monster.name}</figcaption>
      </figure>
      <div>
        <${Owner} view=${view} seat=${cards.indexOf(slot)} inBed=${slot === bed} all=${bed !== null} />
        <${Looks} monster=${monster} asked=${attributeAsked(about, view)} />
        <p class="fitted">
          <span class="unseen">${fitted.length ? `fits ${fitted.map((seat) => `player_${seat}`).join(", ")}` : ""}</span>
          ${cards.map((_, seat) => html`<${Mark} key=${seat} seat=${seat} off=${!fitted.includes(seat)} />`)}
        </p>
        ${fitted.length ? "" : html`<p class="alarm">fits no player: under the bed</p>`}
      </div>
    </li>`;
}

// Whose card it is, as far as it is known.
function Owner({ view, seat, inBed, all }) {
  if (inBed) return html`<p class="owner">under the bed</p>`;
  if (seat < 0) return null;
  if (!all && isOwn(view, seat)) return html`<p class="owner">your card</p>`;
  return html`<p class=${`owner seat-${seat}`}>player_${seat}</p>`;
}

function Looks({ monster, asked }) {
  return html`
    <ul class="looks" aria-label=${`Looks of ${monster.name}`}>
      ${Object.entries(monster.looks).map(([attribute, value]) => html`
        <li key=${attribute} class=${attribute === asked ? "asked" : ""}>${attribute} <b>${value}</b></li>`)}
    </ul>`;
}

// A seat's number in its colour; off: an empty place.
function Mark({ seat, off }) {
  return html`<span class=${off ? "mark" : `mark seat-${seat}`} aria-hidden="true">${off ? "" : seat}</span>`;
}

// Kept as long as the monster is the same: pictures are large, and updates many.
function Portrait({ monster }) {
  return useMemo(() => html`<${Creature} looks=${monster.looks} name=${monster.name} />`, [monster]);
}

// ---- The players ----

function Player({ about, view, slots, cards, seat, own }) {
  const k = relative(view, seat);
  const decides = view.to_move === k && !isOver(view);
  return html`
    <li class=${decides ? "decides" : ""} data-place=${seat}>
      <${Card} ...${{ about, view }} card=${cards[seat]} />
      <div>
        <h4><${Mark} seat=${seat} /> player_${seat}<span class="soft">${own ? ", you" : ""}${decides ? ", who decides" : ""}
          ${view.passed[k] > 0 && html`<span class="passed">has passed</span>`}</span></h4>
        ${doings(about, view, k).map((doing) => html`<p key=${doing} class="doing">${doing}</p>`)}
        <${Claims} ...${{ about, view, slots, seat }} />
        <ul class="accusals">
          ${accusalsBy(view, k).map((number) => html`<li key=${number}>${accusal(view, number)}</li>`)}
        </ul>
      </div>
    </li>`;
}

function Card({ about, view, card }) {
  if (card === null) return html`<figure><${HiddenFace} /><figcaption>hidden</figcaption></figure>`;
  if (card === about.kid) return html`<figure><${Kid} /><figcaption>the kid</figcaption></figure>`;
  const monster = monsterAt(about, view, card);
  return html`<figure><${Portrait} monster=${monster} /><figcaption>${monster.name}</figcaption></figure>`;
}

function Claims({ about, view, slots, seat }) {
  const k = relative(view, seat);
  const claims = claimsOf(about, view, k);
  if (!claims.length) return html`<p class="soft">Has claimed nothing yet.</p>`;
  return html`
    <ol class="claims" aria-label=${`Claims of player_${seat}`}>
      ${claims.map((claim) => html`<${Claim} key=${claim.number} ...${claim} />`)}
    </ol>
    <${Fitting} ...${{ about, view, seat }} slots=${slots.filter((slot) => view.fits[k][slot])} />`;
}

function Claim({ number, attribute, values, asked, yes }) {
  return html`
    <li value=${number}>${attribute}: <b>${either(values)}</b>
      ${asked && html` <span class="soft">“${asked}” ${yes ? "Yes." : "No."}</span>`}</li>`;
}

function Fitting({ about, view, seat, slots }) {
  if (!slots.length) return html`<p class="alarm">fits no monster: a contradiction</p>`;
  return html`
    <div class="fitting"><span>fits</span>
      <ul aria-label=${`Monsters that the claims of player_${seat} fit`}>
        ${slots.map((slot) => html`
          <li key=${slot}><${Portrait} monster=${monsterAt(about, view, slot)} />${monsterAt(about, view, slot).name}</li>`)}
      </ul>
    </div>`;
}

// What goes on with a seat now.
function doings(about, view, k) {
  const last = view.num_asked - 1;
  const asking = isAsking(view);
  const putting = about.phases[view.phase] === "answer";
  const voting = view.voting > 0;
  return [
    asking && k === view.asker && (putting
      ? `asks ${nameOf(view, view.answerer)}: “${questionAt(about, view, last)}”`
      : `asks ${nameOf(view, view.answerer)} …`),
    asking && k === view.answerer && `is asked by ${nameOf(view, view.asker)}`,
    voting && k === view.accusers[last] && `accuses ${nameOf(view, view.accused[last])}`,
    voting && k === view.accused[last] && `is accused by ${nameOf(view, view.accusers[last])}`,
    voting && k === 0 && k !== view.accusers[last] && view.voted >= 0 && `${view.voted ? "agrees" : "disagrees"}, in secret`,
  ].filter(Boolean);
}

function accusal(view, number) {
  const agreed = seats(view).filter((k) => (view.agreed[number] >> k) & 1 && k !== view.accusers[number]);
  return `Accused ${nameOf(view, view.accused[number])} after question ${number + 1}; ` +
    `agreed: ${agreed.map((k) => nameOf(view, k)).join(", ") || "nobody"}.`;
}

// ---- What a View says; k is a seat relative to the one that looks ----

const seats = (view) => Array.from({ length: view.num_players }, (_, k) => k);
const seatOf = (view, k) => (view.seat + k) % view.num_players;
const relative = (view, seat) => (seat - view.seat + view.num_players) % view.num_players;
const nameOf = (view, k) => `player_${seatOf(view, k)}`;
const isOwn = (view, seat) => "role" in view && seat === view.seat; // who watches has no role
const isOver = (view) => view.outcome >= 0;
const slotsOf = (view) => seats(view).filter((slot) => view.lineup[slot] >= 0);
const monsterAt = (about, view, slot) => about.monsters[view.lineup[slot]];
const questionAt = (about, view, number) => about.questions[view.questions[number]];
const count = (marks) => marks.filter(Boolean).length;
const columns = (number) => (number > 5 ? Math.ceil(number / 2) : Math.max(3, number));

// A slot, or the kid; null where it is hidden, or not dealt yet.
function cardOf(view, views, seat) {
  const role = views ? views[seat].role : isOwn(view, seat) ? view.role : -1;
  return role >= 0 ? role : null;
}

// The slot that nobody has, once all cards are known.
function underBed(slots, cards) {
  return cards.includes(null) ? null : slots.find((slot) => !cards.includes(slot)) ?? null;
}

function seatsFitted(view, slot) {
  return seats(view).filter((k) => view.fits[k][slot]).map((k) => seatOf(view, k)).sort();
}

// Is a question being thought of, or put and not answered yet?
function isAsking(view) {
  const last = view.num_asked - 1;
  const isPut = last >= 0 && view.asker === view.askers[last];
  return view.answerer >= 0 && !isOver(view) && !(isPut && view.claims[last]);
}

// The name of the attribute that the question just put is about.
function attributeAsked(about, view) {
  if (about.phases[view.phase] !== "answer") return "";
  return about.attributes[view.about[view.questions[view.num_asked - 1]][0]][0];
}

function claimsOf(about, view, k) {
  const numbers = Array.from({ length: view.num_asked }, (_, number) => number);
  return numbers.filter((number) => view.answerers[number] === k && view.claims[number]).map((number) => {
    const mask = view.claims[number];
    const [attribute, value] = view.about[view.questions[number]]; // -1: no value, an open question
    const [name, values] = about.attributes[attribute];
    return {
      number: number + 1,
      attribute: name,
      values: values.filter((_, bit) => (mask >> bit) & 1),
      asked: value >= 0 ? questionAt(about, view, number) : "",
      yes: mask === 1 << value,
    };
  });
}

// The numbers of the questions after which a seat has accused, once all have voted on it.
function accusalsBy(view, k) {
  const settled = view.num_asked - (view.voting ? 1 : 0);
  return view.accusers.slice(0, settled).flatMap((accuser, number) => (accuser === k ? [number] : []));
}

function either(values) {
  const others = values.slice(0, -1);
  return others.length ? `${others.join(", ")} or ${values.at(-1)}` : values[0];
}
