// Words and numbers that several places of the page say alike.
import { html } from "./vendor/preact.js";

export const percent = (p) => `${(100 * p).toFixed(0)} %`;

// What an action's sentence says that its seat does, where it is clear whose it is.
export const deed = (sentence) => sentence.replace(/^player_\d /, "");

// All that is hidden, a line a thing.
export const hidden = (god) =>
  Object.entries(god).map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join("\n");

// What is played, and by which options.
export function Title({ about, children }) {
  const options = Object.entries(about.options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return html`
    <h2>${about.title}${children}</h2>
    <details class="options"><summary>Options</summary><p>${options.join(" · ")}</p></details>`;
}
