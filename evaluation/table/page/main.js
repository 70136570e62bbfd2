// The page: choosing a table, with a token after the # of its address sitting at one, or watching a replay.
import { html, render, useEffect, useState } from "./vendor/preact.js";
import { explainThings } from "./help.js";
import { Replay } from "./replay.js";
import { Table } from "./table.js";

const REPLAY = "replay"; // the key of the replay that the server was started with

function Page() {
  const [key, setKey] = useState(location.hash.slice(1));
  const [replay, watch] = useState("");
  useEffect(() => {
    const follow = () => {
      watch("");
      setKey(location.hash.slice(1));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    if (key === REPLAY) fetch("api/replay").then((answer) => answer.text()).then(watch);
  }, [key]);
  useDrop(watch);
  const shown = () => {
    if (replay) return html`<${Replay} key=${replay} text=${replay} />`;
    if (key === REPLAY) return html`<p>Fetching the replay …</p>`;
    return key ? html`<${Table} key=${key} token=${key} watch=${watch} />` : html`<${Lobby} watch=${watch} />`;
  };
  return html`<header><h1><a href="#" onClick=${() => watch("")}>Masked Monsters</a></h1></header><main>${shown()}</main>`;
}

// A file that is dropped anywhere on the page is watched.
function useDrop(watch) {
  useEffect(() => {
    const allow = (event) => event.preventDefault();
    const take = async (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) watch(await file.text());
    };
    addEventListener("dragover", allow);
    addEventListener("drop", take);
    return () => {
      removeEventListener("dragover", allow);
      removeEventListener("drop", take);
    };
  }, []);
}

function Lobby({ watch }) {
  const [games, setGames] = useState([]);
  const [game, setGame] = useState(null);
  const [players, setPlayers] = useState([]);
  const [pace, setPace] = useState(1);
  const [adviser, setAdviser] = useState("");
  const [opened, setOpened] = useState(null);
  const [error, setError] = useState("");

  const choose = (next) => {
    const [person, strongest] = next.players;
    setGame(next);
    setPlayers([person, strongest, strongest, strongest]);
    setAdviser(strongest);
  };
  useEffect(() => {
    fetch("api/choices").then((answer) => answer.json()).then((found) => {
      setGames(found);
      choose(found[0]);
    }).catch(() => setError("The server does not answer."));
  }, []);
  if (!game) return html`<p role="alert">${error}</p>`;

  const resize = (size) =>
    setPlayers(Array.from({ length: size }, (_, seat) => players[seat] ?? game.players[1]));
  const open = async (event) => {
    event.preventDefault();
    const wish = { game: game.name, players, pace, adviser: adviser || null };
    const answer = await fetch("api/tables", { method: "POST", body: JSON.stringify(wish) });
    const found = await answer.json();
    setError(found.error ?? "");
    if (answer.ok && found.people.length === 1) location.hash = found.seats[found.people[0]];
    else if (answer.ok) setOpened(found);
  };
  const select = (label, value, values, change) => html`
    <label>${label}
      <select value=${value} onChange=${(event) => change(event.target.value)}>
        ${values.map((each) => html`<option key=${each} value=${each}>${each || "nobody"}</option>`)}
      </select>
    </label>`;

  return html`
    <form class="lobby" onSubmit=${open}>
      <h2>A new table</h2>
      ${select("Game", game.title, games.map((each) => each.title),
        (title) => choose(games.find((each) => each.title === title)))}
      ${select("Players", players.length, [3, 4, 5, 6, 7, 8], (size) => resize(Number(size)))}
      <fieldset><legend>Who sits where</legend>
        ${players.map((name, seat) => select(`player_${seat}`, name, game.players,
          (next) => setPlayers(players.map((old, each) => (each === seat ? next : old)))))}
      </fieldset>
      ${select("Seconds before an agent's act is shown", pace, [0, 0.5, 1, 2, 5], (next) => setPace(Number(next)))}
      ${select("Whom you may ask", adviser, ["", ...game.players.slice(1)], setAdviser)}
      <button class="main">Open the table</button>
      <p role="alert">${error}</p>
    </form>
    ${opened && html`<${Links} opened=${opened} />`}
    <section class="lobby"><h2>A replay</h2>
      <label>Open a file, or drop it here
        <input type="file" accept=".json,application/json"
          onChange=${async (event) => watch(await event.target.files[0].text())} /></label>
    </section>`;
}

function Links({ opened }) {
  return html`
    <section><h2>The table's links</h2>
      <p>Give each person theirs: it is the key to the seat.</p>
      <ul>
        ${opened.people.map((seat) => html`<li key=${seat}><a href=${`#${opened.seats[seat]}`}>player_${seat}</a></li>`)}
        <li><a href=${`#${opened.watch}`}>to watch</a></li>
      </ul>
    </section>`;
}

explainThings();
render(html`<${Page} />`, document.body.appendChild(document.createElement("div")));
