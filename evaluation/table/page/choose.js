// One of several values, with a label.
import { html } from "./vendor/preact.js";

const PACES = [0, 0.5, 1, 2, 5]; // seconds before an agent's act is shown

export function Choose({ label, value, values, change }) {
  return html`
    <label>${label}
      <select value=${value} onChange=${(event) => change(event.target.value)}>
        ${values.map((each) => html`<option key=${each} value=${each}>${each === "" ? "nobody" : each}</option>`)}
      </select>
    </label>`;
}

export function Pace({ pace, change }) {
  const paces = PACES.includes(pace) ? PACES : [pace, ...PACES];
  return html`
    <${Choose} label="Seconds before an agent's act is shown" value=${pace} values=${paces}
      change=${(next) => change(Number(next))} />`;
}
