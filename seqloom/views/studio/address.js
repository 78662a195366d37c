// The state of the page in its address: a link shows the same thing. What is as it was at first is left out.

const LONGEST = 200_000; // characters of a value: a picture that is larger is not kept in an address

/** What the address says, for the names that are known. */
export function readAddress(known) {
  const found = {};
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) if (name in known) found[name] = value;
  return found;
}

/** Keep the address as the state is, and the state as the address is when a reader goes back. */
export function followAddress(state, known, changed) {
  let written = location.hash;
  state.watch((now) => {
    const given = new URLSearchParams();
    for (const [name, usual] of Object.entries(known)) if (now[name] !== usual && now[name] !== null && now[name].length < LONGEST) given.set(name, now[name]);
    const next = `#${given}`;
    if (next === written || (next === "#" && written === "")) return;
    written = next;
    history.replaceState(null, "", next);
  });
  addEventListener("hashchange", () => {
    if (location.hash === written) return;
    written = location.hash;
    changed({ ...known, ...readAddress(known) });
  });
}
