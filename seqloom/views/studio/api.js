// The one place that talks to the server. A newer question takes the place of an older one of the same kind.

const HEALTH = 2000; // milliseconds between looks for a server that is gone

export class Trouble extends Error {}

export class Api {
  #key = "";
  #asked = new Map();
  #gone = false;

  /** `changed(gone)` is told when the server goes and when it is back. */
  constructor(changed) {
    this.changed = changed;
  }

  set key(key) {
    this.#key = key;
  }

  get(path, kind = path) {
    return this.#ask(path, {}, kind);
  }

  /** A question of another `kind` does not take the place of one to the same path. */
  post(path, body, kind = path) {
    return this.#ask(path, { method: "POST", body: JSON.stringify(body) }, kind);
  }

  /** The answer; null if a newer question came before it. */
  async #ask(path, options, kind = path) {
    this.#asked.get(kind)?.abort();
    const mine = new AbortController();
    this.#asked.set(kind, mine);
    const headers = { ...(options.body ? { "content-type": "application/json" } : {}), ...(this.#key ? { authorization: `Bearer ${this.#key}` } : {}) };
    let response;
    try {
      response = await fetch(path, { ...options, headers, signal: mine.signal });
      const found = await response.json();
      if (this.#asked.get(kind) !== mine) return null;
      if (!response.ok) throw new Trouble(found.error?.message ?? String(response.status));
      return found;
    } catch (error) {
      if (error instanceof Trouble) throw error;
      if (mine.signal.aborted) return null;
      this.#lost();
      return null;
    }
  }

  #lost() {
    if (this.#gone) return;
    this.#gone = true;
    this.changed(true);
    const look = async () => {
      const back = await fetch("health").then((response) => response.ok, () => false);
      if (!back) return setTimeout(look, HEALTH);
      this.#gone = false;
      this.changed(false);
    };
    setTimeout(look, HEALTH);
  }
}
