// The page: the lobby, with a token after the # of its address the table that it leads to, or a replay.
import { html, render, useEffect, useState } from "./vendor/preact.js";
import { explainThings } from "./help.js";
import { Lobby } from "./lobby.js";
import { Replay } from "./replay.js";
import { Table } from "./table.js";

const REPLAY = "replay"; // the key of the replay that the server was started with

function Page() {
  const [key, setKey] = useState(location.hash.slice(1));
  const [replay, watch] = useState(null);
  const [error, setError] = useState("");
  useEffect(() => {
    const follow = () => {
      watch(null);
      setKey(location.hash.slice(1));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    if (key !== REPLAY) return;
    const leaving = new AbortController();
    fetchStarted(leaving.signal).then(watch).catch(({ message }) => leaving.signal.aborted || setError(message));
    return () => leaving.abort();
  }, [key]);
  useDrop(watch);
  const leave = () => (key === REPLAY ? location.assign("#") : watch(null));
  const shown = () => {
    if (replay !== null) return html`<${Replay} key=${replay} text=${replay} leave=${leave} />`;
    if (key === REPLAY) return html`<p role="alert">${error || "Fetching the replay …"}</p>`;
    return key ? html`<${Table} key=${key} token=${key} watch=${watch} />` : html`<${Lobby} watch=${watch} />`;
  };
  return html`<header><h1><a href="#" onClick=${() => watch(null)}>Masked Monsters</a></h1></header><main>${shown()}</main>`;
}

// The replay that the server was started with.
async function fetchStarted(signal) {
  const answer = await fetch("api/replay", { signal }).catch(() => {
    throw new Error("The server does not answer.");
  });
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer.text();
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

explainThings();
render(html`<${Page} />`, document.body.appendChild(document.createElement("div")));
