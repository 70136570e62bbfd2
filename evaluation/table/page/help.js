// Explains what has the attribute data-help: under the mouse, with the focus, or pressed long.
const LONG = 450; // milliseconds

export function explainThings() {
  const bubble = document.createElement("div");
  bubble.id = "help";
  bubble.role = "tooltip";
  bubble.hidden = true;
  document.body.append(bubble);
  let explained = null;
  let timer = 0;
  let wasLong = false;

  const hide = () => {
    explained?.removeAttribute("aria-describedby");
    explained = null;
    bubble.hidden = true;
  };
  const show = (thing) => {
    hide();
    if (!thing?.dataset.help) return;
    explained = thing;
    bubble.textContent = thing.dataset.help;
    thing.setAttribute("aria-describedby", bubble.id);
    bubble.hidden = false;
    place(bubble, thing.getBoundingClientRect());
  };
  const of = (event) => event.target.closest?.("[data-help]");

  document.addEventListener("pointerover", (event) => event.pointerType === "mouse" && show(of(event)));
  document.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && show(of(event)));
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, true);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("pointerdown", (event) => {
    wasLong = false;
    hide();
    if (event.pointerType === "mouse" || !of(event)) return;
    timer = setTimeout(() => {
      wasLong = true;
      show(of(event));
    }, LONG);
  });
  for (const end of ["pointerup", "pointercancel", "pointermove"]) {
    document.addEventListener(end, (event) => {
      if (end !== "pointermove" || Math.hypot(event.movementX, event.movementY) > 5) clearTimeout(timer);
    });
  }
  // What was pressed to be explained is not pressed to be done.
  document.addEventListener("click", (event) => {
    if (!wasLong) return;
    wasLong = false;
    if (!event.detail) return; // by a key
    event.preventDefault();
    event.stopPropagation();
  }, true);
  document.addEventListener("contextmenu", (event) => wasLong && event.preventDefault());
}

// Above a box, or below it where there is no room, within the window.
function place(bubble, box) {
  const { width, height } = bubble.getBoundingClientRect();
  const left = Math.min(Math.max(8, box.x + box.width / 2 - width / 2), innerWidth - width - 8);
  const top = box.y > height + 12 ? box.y - height - 8 : box.bottom + 8;
  bubble.style.setProperty("transform", `translate(${left}px, ${top}px)`);
}
