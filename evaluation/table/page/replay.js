// A replay: the match forwards and backwards, through any eyes, beside an analysis of each decision.
import { html, useEffect, useMemo, useState } from "./vendor/preact.js";

import { Beliefs } from "./beliefs.js";
import { Stage } from "./stage.js";
import { Save, Story } from "./table.js";
import { Title, deed, hidden, percent } from "./words.js";

const STEP = 1200; // milliseconds a frame when it goes by itself
const GOD = "god";

export function Replay({ text, leave }) {
  const film = useFilm(text);
  const analysis = useAnalysis(text);
  if (film?.error) return html`<p role="alert">${film.error}</p><p><button onClick=${leave}>Back</button></p>`;
  if (!film) return html`<p>Reading the replay …</p>`;
  return html`<${Watched} film=${film} analysis=${analysis} text=${text} />`;
}

const post = (what, text, options) => fetch(`api/${what}`, { method: "POST", body: text, ...options });

function useFilm(text) {
  const [film, setFilm] = useState(null);
  useEffect(() => {
    post("film", text).then((answer) => answer.json()).then(setFilm)
      .catch(() => setFilm({ error: "The server does not answer." }));
  }, [text]);
  return film;
}

// Comes decision by decision: `head` first.
function useAnalysis(text) {
  const [analysis, setAnalysis] = useState({ decisions: [] });
  useEffect(() => {
    const leaving = new AbortController();
    const add = (found) => setAnalysis(({ decisions, ...rest }) => {
      if (found.error) return { decisions, ...rest, error: found.error };
      return found.method ? { decisions, head: found } : { ...rest, decisions: [...decisions, found] };
    });
    post("analysis", text, { signal: leaving.signal }).then((answer) => eachLine(answer, add))
      .catch(() => leaving.signal.aborted || add({ error: "The server does not answer any more." }));
    return () => leaving.abort();
  }, [text]);
  return analysis;
}

async function eachLine(answer, use) {
  let rest = "";
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop();
    lines.forEach((line) => use(JSON.parse(line)));
  }
  if (rest) use(JSON.parse(rest));
}

function Watched({ film, analysis, text }) {
  const [{ at, from }, setAt] = useState({ at: 0, from: 0 });
  const [eye, setEye] = useState(GOD);
  const [isPlaying, setPlaying] = useState(false);
  const last = film.frames.length - 1;
  const go = (next) => setAt((now) => ({ at: Math.min(Math.max(next, 0), last), from: now.at }));
  useEffect(() => {
    if (!isPlaying) return;
    if (at === last) return setPlaying(false);
    const timer = setTimeout(() => go(at + 1), STEP);
    return () => clearTimeout(timer);
  }, [isPlaying, at]);
  const { about, players } = film;
  const seen = useMemo(() => seenBy(film, at, eye), [film, at, eye]); // the same, while only the analysis goes on
  return html`
    <${Title} about=${about}>, a replay<//>
    <div class="columns">
      <section><h3>The table</h3>
        <${Controls} at=${at} last=${last} go=${go} isPlaying=${isPlaying} setPlaying=${setPlaying} />
        <${Eyes} eye=${eye} setEye=${setEye} players=${players} />
        <${Stage} about=${about} players=${players} seen=${seen}
          before=${at === from + 1 ? seenBy(film, from, eye) : null} views=${eye === GOD ? allViews(film, at) : undefined} />
        <p>Score: ${film.score.map((points, seat) => `player_${seat} ${Number(points.toFixed(2))}`).join(" · ")}</p>
        <p><${Save} text=${text} /></p>
        ${analysis.head && html`
          <${Beliefs} head=${analysis.head} decisions=${analysis.decisions} at=${at} last=${last} />`}
      </section>
      <section>
        <h3>What has happened</h3><${Story} story=${told(film, at, eye)} />
        <${Analysis} analysis=${analysis} last=${last} at=${at} go=${go} />
      </section>
    </div>`;
}

const indexOf = (film, eye) => (eye === GOD ? 0 : eye);
const allViews = (film, at) => film.frames[at].eyes.slice(0, film.players.length).map((each) => each.view);
const told = (film, at, eye) =>
  film.frames.slice(0, at + 1).flatMap((frame) => (eye === GOD ? frame.news : frame.eyes[eye].news));

function seenBy(film, at, eye) {
  const frame = film.frames[at];
  const { view, own, act } = frame.eyes[indexOf(film, eye)];
  if (eye !== GOD) return { view, own, act, table: frame.table };
  return { view, own: hidden(frame.god), act: frame.act, table: frame.table };
}

function Controls({ at, last, go, isPlaying, setPlaying }) {
  const button = (label, sign, next, isOff) => html`
    <button aria-label=${label} data-help=${label} disabled=${isOff} onClick=${() => go(next)}>${sign}</button>`;
  return html`
    <div class="controls">
      ${button("To the start", "|◀", 0, at === 0)}
      ${button("Back", "◀", at - 1, at === 0)}
      <button class="main" onClick=${() => setPlaying(!isPlaying)} disabled=${at === last}>${isPlaying ? "Pause" : "Play"}</button>
      ${button("On", "▶", at + 1, at === last)}
      ${button("To the end", "▶|", last, at === last)}
      <label class="slider"><span>Decision ${at} of ${last}</span>
        <input type="range" min="0" max=${last} value=${at} onInput=${(event) => go(Number(event.target.value))} /></label>
    </div>`;
}

function Eyes({ eye, setEye, players }) {
  const change = (event) => setEye(event.target.value === GOD ? GOD : Number(event.target.value));
  return html`
    <label class="eyes">Through whose eyes
      <select value=${eye} onChange=${change}>
        <option value=${GOD}>everything</option>
        <option value=${players.length}>who watches</option>
        ${players.map((name, seat) => html`<option key=${seat} value=${seat}>player_${seat}, ${name}</option>`)}
      </select></label>`;
}

function Analysis({ analysis, at, last, go }) {
  const { head, decisions, error } = analysis;
  const decision = decisions[at - 1];
  return html`
    <h3>Analysis</h3>
    ${error && html`<p role="alert">${error}</p>`}
    ${!error && decisions.length < last && html`<p>${decisions.length} of ${last} decisions so far …</p>`}
    ${at === 0 && html`<p>Nobody has decided anything yet.</p>`}
    ${decision && html`<${Advice} decision=${decision} head=${head} />`}
    ${at > decisions.length && html`<p>This decision has not been looked at yet.</p>`}
    <${Marks} decisions=${decisions} at=${at} go=${go} />`;
}

// What the adviser would have done in the seat's place, and what it expected.
function Advice({ decision, head }) {
  const { seat, action, probabilities, value } = decision;
  const rows = probabilities.filter(([each, , p]) => each === action || p >= 0.005);
  const rest = probabilities.length - rows.length;
  return html`
    <table class="advice"><caption>What ${head.advisers[seat]} would do as player_${seat}</caption><tbody>
      ${rows.map(([each, sentence, p]) => html`
        <tr key=${each} class=${each === action ? "chosen" : ""}>
          <th scope="row">${deed(sentence)}${each === action && html` <strong>(done)</strong>`}</th>
          <td><meter min="0" max="1" value=${p} aria-label=${sentence}></meter></td><td>${percent(p)}</td></tr>`)}
      ${rest > 0 && html`<tr><th scope="row">anything else</th><td></td><td>less than 1 % each</td></tr>`}
    </tbody></table>
    ${value !== null && html`<p>It values the position at ${value.toFixed(2)}: ${head.values[seat]}.</p>`}`;
}

const KINDS = {
  false_claim: "A false claim", contradiction: "A contradiction", wrong_accusal: "A wrong accusal",
  wasted_hunter: "A wasted Hunter", misled: "Misled",
};

function Marks({ decisions, at, go }) {
  const marks = decisions.flatMap(({ decision, marks: found }) => found.map((mark) => ({ ...mark, at: decision + 1 })));
  if (!marks.length) return null;
  return html`
    <h4>Marks</h4>
    <ul class="marks">${marks.map((mark, number) => html`
      <li key=${number} class=${mark.at === at ? "now" : ""}>
        <button aria-current=${mark.at === at ? "true" : undefined} onClick=${() => go(mark.at)}>
          <strong>${KINDS[mark.kind]}</strong> (decision ${mark.at}) ${mark.text}</button></li>`)}
    </ul>`;
}
