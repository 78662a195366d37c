// What the reader is looking at. One small object; whoever draws something watches it.
//
//   path     the nested call that is open, "" for the whole
//   pointed  the id under the pointer or the focus; it stays until another takes its place
//   pinned   the id that was clicked; it comes back when the pointer leaves another
//   step     the moment, counted from 0

export class State {
  #now;
  #watchers = [];

  constructor(start) {
    this.#now = Object.freeze({ path: "", pointed: null, pinned: null, step: 0, ...start });
  }

  get now() {
    return this.#now;
  }

  /** The id whose value is shown and whose places are lit. */
  get chosen() {
    return this.#now.pointed ?? this.#now.pinned;
  }

  set(change) {
    const before = this.#now;
    if (Object.entries(change).every(([name, value]) => before[name] === value)) return;
    this.#now = Object.freeze({ ...before, ...change });
    for (const watcher of this.#watchers) watcher(this.#now, before);
  }

  /** Call `watcher(now, before)` at once and after every change. */
  watch(watcher) {
    this.#watchers.push(watcher);
    watcher(this.#now, {});
  }
}
