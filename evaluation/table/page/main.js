// The page: the lobby, or with a token after the # of its address, the table that it leads to.
import { html, render, useEffect, useState } from "./vendor/preact.js";
import { Lobby } from "./lobby.js";
import { Table } from "./table.js";

function Page() {
  const [token, setToken] = useState(location.hash.slice(1));
  useEffect(() => {
    const follow = () => setToken(location.hash.slice(1));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return html`
    <header><h1><a href="#">Masked Monsters</a></h1></header>
    <main>${token ? html`<${Table} key=${token} token=${token} />` : html`<${Lobby} />`}</main>`;
}

render(html`<${Page} />`, document.body);
