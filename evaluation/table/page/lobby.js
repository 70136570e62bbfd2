// The lobby: choosing what a new table is of, and opening it.
import { html, useEffect, useState } from "./vendor/preact.js";
import { Choose, Pace } from "./choose.js";

export function Lobby({ watch }) {
  const [games, setGames] = useState([]);
  const [game, setGame] = useState(null);
  const [players, setPlayers] = useState([]);
  const [options, setOptions] = useState({}); // as texts, those that were touched
  const [pace, setPace] = useState(1);
  const [adviser, setAdviser] = useState("");
  const [opened, setOpened] = useState(null);
  const [error, setError] = useState("");

  const choose = (next) => {
    const [person, strongest] = next.players;
    setGame(next);
    setPlayers([person, strongest, strongest, strongest]);
    setAdviser(strongest);
    setOptions({});
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
  const valueOf = (option) => options[option.name] ?? option.default;
  const open = async (event) => {
    event.preventDefault();
    const changed = game.options.filter((option) => valueOf(option) !== option.default);
    const wish = {
      game: game.name, players, pace, adviser: adviser || null,
      options: Object.fromEntries(changed.map((option) => [option.name, valueOf(option)])),
    };
    const answer = await fetch("api/tables", { method: "POST", body: JSON.stringify(wish) });
    const found = await answer.json();
    setError(found.error ?? "");
    if (answer.ok && found.people.length === 1) location.hash = found.seats[found.people[0]];
    else if (answer.ok) setOpened(found);
  };
  const select = (label, value, values, change) => html`<${Choose} ...${{ label, value, values, change }} />`;

  return html`
    <form class="lobby" onSubmit=${open}>
      <h2>A new table</h2>
      ${select("Game", game.title, games.map((each) => each.title),
        (title) => choose(games.find((each) => each.title === title)))}
      ${select("Players", players.length, game.sizes, (size) => resize(Number(size)))}
      <fieldset><legend>Who sits where</legend>
        ${players.map((name, seat) => select(`player_${seat}`, name, game.players,
          (next) => setPlayers(players.map((old, each) => (each === seat ? next : old)))))}
      </fieldset>
      <${Pace} pace=${pace} change=${setPace} />
      ${select("Whom you may ask", adviser, ["", ...game.players.slice(1)], setAdviser)}
      <details><summary>Options</summary>
        ${game.options.map((option) => {
          const change = (value) => setOptions({ ...options, [option.name]: value });
          return option.allowed.length ? select(option.name, valueOf(option), option.allowed, change) : html`
            <label>${option.name}
              <input value=${valueOf(option)} spellcheck=${false} onInput=${(event) => change(event.target.value)} />
            </label>`;
        })}
      </details>
      <button class="main">Open the table</button>
      <p role="alert">${error}</p>
    </form>
    ${opened && html`<${Links} opened=${opened} />`}
    <section class="lobby"><h2>A replay</h2>
      <label>Open a file, or drop it here
        <input type="file" accept=".json,application/json"
          onChange=${({ target: { files: [file] } }) => file?.text().then(watch)} /></label>
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
