// What each observer believed of what was hidden: plots over the match, and numbers of the moment.
import { html, useState } from "./vendor/preact.js";
import { percent } from "./words.js";

const WIDE = 300;
const HIGH = 80;

export function Beliefs({ head, decisions, at, last }) {
  const [chosen, choose] = useState(0);
  const fact = head.facts[chosen];
  if (!fact) return html`<p class="method">${head.method}</p>`;
  const now = decisions[at - 1];
  return html`
    <h3>Beliefs</h3>
    <p class="method">${head.method}</p>
    <label>About <select value=${chosen} onChange=${(event) => choose(Number(event.target.value))}>
      ${head.facts.map(({ name, title }, number) => html`<option key=${name} value=${number}>${title}</option>`)}
    </select></label>
    <ul class="legend" aria-label="Lines; thick where true">
      ${fact.classes.map((name, number) => html`
        <li key=${number}><svg viewBox="0 0 24 8" aria-hidden="true"><path class=${`line line-${number}`} d="M0 4H24" /></svg>${name}</li>`)}
    </ul>
    <div class="plots">
      ${head.players.map((_, observer) => html`
        <${Plot} key=${observer} observer=${observer} fact=${fact} decisions=${decisions} at=${at} last=${last} />`)}
    </div>
    ${now && html`<${Moment} now=${now} fact=${fact} />`}`;
}

function Plot({ observer, fact, decisions, at, last }) {
  const x = (decision) => (WIDE * decision) / Math.max(last, 1);
  const believed = decisions.map(({ beliefs }) => beliefs[observer]?.facts[fact.name] ?? null);
  const truth = decisions.map(({ truth: known }) => known[fact.name]);
  const knows = ({ beliefs }) => beliefs[observer] && !beliefs[observer].facts[fact.name];
  const isTrue = (number) => (each) => truth[each] === number;
  return html`
    <figure class="plot">
      <figcaption>player_${observer}${decisions.length > 0 && decisions.every(knows) && " knows it"}</figcaption>
      <svg viewBox=${`0 0 ${WIDE} ${HIGH}`} role="img" preserveAspectRatio="none"
        aria-label=${`What player_${observer} believes about ${fact.title}, over the match`}>
        <path class="grid" d=${`M0 0H${WIDE}M0 ${HIGH / 2}H${WIDE}M0 ${HIGH}H${WIDE}`} />
        ${fact.classes.map((_, number) => html`
          <path key=${number} class=${`line line-${number}`} d=${steps(believed, number, x, () => true)} />
          <path class=${`line line-${number} true`} d=${steps(believed, number, x, isTrue(number))} />`)}
        <path class="now" d=${`M${x(at)} 0V${HIGH}`} />
      </svg>
    </figure>`;
}

// A belief in one class as steps, with gaps where there is none or it is not wanted.
function steps(believed, number, x, isWanted) {
  let isDrawing = false;
  return believed.map((p, decision) => {
    if (!p || !isWanted(decision)) {
      isDrawing = false;
      return "";
    }
    const y = (HIGH * (1 - p[number])).toFixed(1);
    const start = isDrawing ? `V${y}` : `M${x(decision + 0.5).toFixed(1)} ${y}`;
    isDrawing = true;
    return `${start}H${x(decision + 1.5).toFixed(1)}`;
  }).join("");
}

// Rows are observers.
function Moment({ now, fact }) {
  const truth = now.truth[fact.name];
  return html`
    <div class="wide" tabindex="0" role="region" aria-label=${`Beliefs about ${fact.title} now`}>
      <table class="moment"><caption>After this decision: ${fact.title}</caption>
        <thead><tr><th scope="col">Observer</th>
          ${fact.classes.map((name, number) => html`<th scope="col" key=${number}>${name}${number === truth ? " (true)" : ""}</th>`)}
          <th scope="col">Effective size</th></tr></thead>
        <tbody>${now.beliefs.map((belief, observer) => html`
          <tr key=${observer}><th scope="row">player_${observer}</th>${cells(belief, fact)}</tr>`)}
        </tbody>
      </table>
    </div>`;
}

function cells(belief, fact) {
  const wide = fact.classes.length;
  if (!belief) return html`<td colspan=${wide + 1}>no world found that fits</td>`;
  const believed = belief.facts[fact.name];
  if (!believed) return html`<td colspan=${wide + 1}>knows it</td>`;
  const size = belief.effective_size;
  return html`${believed.map((p, number) => html`<td key=${number}>${percent(p)}</td>`)}
    <td>${size === null ? "exact" : Math.round(size)}</td>`;
}
