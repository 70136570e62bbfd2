// A table as one seat, or one who watches, sees it: what the server says, and the moves it offers.
import { html, useEffect, useReducer, useRef, useState } from "./vendor/preact.js";
import { Pace } from "./choose.js";
import { Picture, Stage } from "./stage.js";
import { Title, deed, hidden, percent } from "./words.js";

const RETRY = 1000; // milliseconds before a lost connection is tried again

const looked = ({ view, table, own, act }) => ({ seen: { view, table, own, act }, hint: null, error: "" });

function heard(state, message) {
  switch (message.type) {
    case "welcome":
      return { ...state, ...message, ...looked(message), story: message.news, before: null, lost: false, end: null };
    case "update":
      return { ...state, ...message, ...looked(message), story: [...state.story, ...message.news], before: state.seen };
    case "end":
      return { ...state, end: message, legal: [] };
    case "here":
      return { ...state, here: message.seats };
    case "pace":
      return { ...state, pace: message.pace };
    case "hint":
      return { ...state, hint: message };
    case "error":
      return { ...state, error: message.message };
    case "closed":
      return { ...state, closed: message.message };
    default:
      return { ...state, lost: true };
  }
}

// Hears the table; a lost connection comes back to the same seat.
function useTable(token) {
  const [state, hear] = useReducer(heard, { story: [], here: [], legal: [] });
  const socket = useRef(null);
  useEffect(() => {
    let over = false;
    const connect = () => {
      const address = new URL("api/sit", location.href);
      address.protocol = "ws:";
      address.hash = "";
      const next = new WebSocket(address);
      socket.current = next;
      next.onopen = () => next.send(JSON.stringify({ token }));
      next.onmessage = (event) => {
        const message = JSON.parse(event.data);
        over ||= message.type === "closed";
        hear(message);
      };
      next.onclose = () => {
        if (over) return;
        hear({ type: "lost" });
        setTimeout(() => over || connect(), RETRY);
      };
    };
    connect();
    return () => {
      over = true;
      socket.current.close();
    };
  }, [token]);
  const say = (message) =>
    socket.current.readyState === WebSocket.OPEN && socket.current.send(JSON.stringify(message));
  return [state, say];
}

export function Table({ token, watch }) {
  const [table, say] = useTable(token);
  if (table.closed && !table.end) return html`<p role="alert">${table.closed}</p>`;
  if (!table.about) return html`<p>Connecting to the table …</p>`;
  const mine = (seat) => (seat === table.seat ? "you" : table.players[seat]);
  return html`
    <${Title} about=${table.about} />
    <p role="alert">${table.closed || (table.lost && "The connection is lost; trying again …")}</p>
    <ul class="seats" aria-label="Players">
      ${table.players.map((_, seat) => html`
        <li key=${seat}>player_${seat}: ${mine(seat)}${
          table.people.includes(seat) && !table.here.includes(seat) ? " (not here)" : ""}</li>`)}
    </ul>
    <div class="columns">
      <section><h3>The table</h3>
        ${table.end ? html`<${End} table=${table} watch=${watch} />` : html`<${Moves} table=${table} say=${say} />`}
        ${table.seat >= 0 && !table.end && html`<${Pace} pace=${table.pace} change=${(pace) => say({ pace })} />`}
        <${Stage} about=${table.about} players=${table.players} seen=${table.seen} before=${table.before}
          views=${table.end?.views} />
      </section>
      <section><h3>What has happened</h3><${Story} story=${table.story} /></section>
    </div>`;
}

function Moves({ table, say }) {
  const first = useRef(null);
  useEffect(() => {
    const isElsewhere = document.activeElement !== document.body && !document.activeElement.closest(".moves");
    if (!isElsewhere) first.current?.focus();
  }, [table.turn, table.legal.length > 0]);
  if (table.seat < 0) return html`<p role="status">You are watching.</p>`;
  if (!table.legal.length) return html`<p role="status">The others play …</p>`;
  const chance = new Map(table.hint?.chances.map(([likely, action]) => [action, likely]));
  const moves = table.legal.map(([action, sentence], place) => html`
    <li key=${action}>
      <button ref=${place ? null : first} data-help=${helpFor(table.about, action)}
        onKeyDown=${notHeld} onClick=${() => say({ act: action, turn: table.turn })}>
        <${Picture} about=${table.about} view=${table.seen.view} action=${action} />
        ${deed(sentence)}
      </button>
      ${chance.has(action) && html`<span class="chance">${percent(chance.get(action))}</span>`}
    </li>`);
  return html`
    <h3 role="status">Your turn</h3>
    <ul class="moves">${moves}</ul>
    ${table.adviser && html`
      <button class="quiet" onClick=${() => say({ hint: table.turn })}>What would ${table.adviser} do?</button>`}
    <p role="alert">${table.error}</p>`;
}

// A key that is still down from the last move does not do the next.
const notHeld = (event) => event.repeat && event.preventDefault();

// What a card does, where the action is to use one.
function helpFor(about, action) {
  return about.help?.[about.actions[action].toLowerCase()] ?? "";
}

export function Story({ story }) {
  const list = useRef(null);
  useEffect(() => { list.current.scrollTop = list.current.scrollHeight; }, [story.length]);
  return html`
    <div class="story" ref=${list} tabindex="0" role="log" aria-label="What has happened">
      <ol>${story.map((sentence, number) => html`<li key=${number}>${sentence}</li>`)}</ol>
    </div>`;
}

function End({ table, watch }) {
  return html`
    <h3 role="status">The match is over</h3>
    <table><caption>Score</caption><tbody>
      ${table.players.map((name, seat) => html`
        <tr key=${seat}><th scope="row">player_${seat}, ${name}</th><td>${Number(table.end.score[seat].toFixed(2))}</td></tr>`)}
    </tbody></table>
    <p><button class="main" onClick=${() => watch(table.end.replay)}>Look at it again</button></p>
    <p><${Save} text=${table.end.replay} /> · <a href="#">A new table</a></p>
    <details><summary>All that was hidden</summary><pre tabindex="0">${hidden(table.end.god)}</pre></details>`;
}

export function Save({ text }) {
  const [link, setLink] = useState("");
  useEffect(() => {
    const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    setLink(address);
    return () => URL.revokeObjectURL(address);
  }, [text]);
  return html`<a href=${link} download="match.json">Save the replay</a>`;
}
