// SPDX-License-Identifier: Apache-2.0
// A part of a list of any length, asked for as it is looked at: one run of rows that follow each other, and where it begins.
// The daemon names rows by their numbers and not by their place, so a leap to a far place guesses the number there, and the
// places are put right when an end of the list is reached.

const PAGE = 100;
const MOST = 1200;
/// A place farther from the known rows than this is leapt to.
const LEAP = 400;
/// Milliseconds until a question that has failed is asked again: they double.
const FIRST_PAUSE = 500, LONGEST_PAUSE = 10_000;

export class Rows {
  /// `ask({before, after, limit})` answers a page, newest first; `changed(shift)` is called when rows have come, with how many
  /// places those that were visible have moved.
  constructor(ask, changed) {
    this.ask = ask;
    this.changed = changed;
    Object.assign(this, { generation: 0, pause: 0, retryAt: 0 });
    this.clear();
  }

  clear() {
    this.generation += 1;
    Object.assign(this, { rows: [], start: 0, atTop: true, atEnd: false, expected: null, oldest: null, newest: null, isBusy: false, wanted: null, again: null, isLoaded: false, problem: null });
  }

  get end() { return this.start + this.rows.length; }

  /// How many rows there are, as far as is known.
  get total() {
    if (this.atEnd) return this.end;
    return Math.max(this.expected ?? 0, this.end + (this.isLoaded ? 1 : 0));
  }

  at(index) { return this.rows[index - this.start]; }
  indexOf(id) {
    const found = this.rows.findIndex((row) => row.id === id);
    return found < 0 ? -1 : found + this.start;
  }

  /// Begins anew.
  async load() {
    this.clear();
    await this.#first();
  }

  #first() {
    return this.#fetch({ limit: PAGE }, (page) => {
      this.rows = page.transfers;
      this.start = 0;
      this.atTop = true;
      this.atEnd = !page.hasMore;
      this.newest = this.rows[0]?.id ?? null;
      this.isLoaded = true;
      return 0;
    });
  }

  /// Makes sure that these rows come.
  want(first, last) {
    this.wanted = [first, last];
    if (this.isBusy || !this.isLoaded || performance.now() < this.retryAt) return;
    if (first > this.end + LEAP || last < this.start - LEAP) return this.#leap(first);
    if (first < this.start && !this.atTop) return this.#up();
    if (last >= this.end && !this.atEnd) return this.#down();
  }

  async #fetch(query, take) {
    const generation = this.generation;
    this.isBusy = true;
    let shift = 0;
    try {
      const page = await this.ask(query);
      if (generation !== this.generation) return;
      Object.assign(this, { problem: null, pause: 0, retryAt: 0 });
      shift = take(page);
    } catch (error) {
      if (generation !== this.generation) return;
      this.problem = error;
      this.pause = Math.min(LONGEST_PAUSE, 2 * this.pause || FIRST_PAUSE);
      this.retryAt = performance.now() + this.pause;
    }
    this.isBusy = false;
    if (shift) this.wanted = this.wanted?.map((index) => Math.max(0, index + shift)) ?? null;
    if (shift && this.again !== null) this.again = Math.max(0, this.again + shift);
    this.changed(shift);
    if (this.problem) return;
    if (this.again !== null) this.refresh(this.again);
    else if (this.wanted) this.want(...this.wanted);
  }

  /// Asks again what has failed, once it is time.
  retry() {
    if (!this.problem || this.isBusy || performance.now() < this.retryAt) return;
    if (!this.isLoaded) this.load();
    else if (this.again !== null) this.refresh(this.again);
    else if (this.wanted) this.want(...this.wanted);
  }

  #down() {
    return this.#fetch({ before: this.rows.at(-1)?.id, limit: PAGE }, (page) => {
      this.rows.push(...page.transfers);
      this.atEnd = !page.hasMore;
      if (this.rows.length > MOST) {
        const spare = this.rows.length - MOST;
        this.rows.splice(0, spare);
        this.start += spare;
        this.atTop = false;
      }
      return 0;
    });
  }

  #up() {
    return this.#fetch({ after: this.rows[0]?.id ?? 0, limit: PAGE }, (page) => {
      this.rows.unshift(...page.transfers);
      this.start -= page.transfers.length;
      this.atTop = !page.hasMore;
      if (this.rows.length > MOST) {
        this.rows.length = MOST;
        this.atEnd = false;
      }
      // The guess is put right: at the top, and when there are more above than places.
      const shift = this.atTop ? -this.start : this.start < PAGE ? PAGE - this.start : 0;
      this.start += shift;
      return shift;
    });
  }

  async #leap(index) {
    if (index < PAGE) return this.load();
    if (this.oldest === null) {
      const { generation } = this;
      this.isBusy = true;
      const page = await this.ask({ after: 0, limit: 1 }).catch(() => null);
      if (generation !== this.generation) return;
      if (page) this.oldest = page.transfers[0]?.id ?? 0;
    }
    const part = Math.min(1, index / Math.max(1, this.total - 1));
    const guess = Math.round(this.newest - (this.newest - (this.oldest ?? 0)) * part);
    return this.#fetch({ before: guess + 1, limit: PAGE }, (page) => {
      this.rows = page.transfers;
      this.start = index;
      this.atTop = false;
      this.atEnd = !page.hasMore;
      if (this.atEnd) this.start = Math.max(0, (this.expected ?? this.end) - this.rows.length);
      return 0;
    });
  }

  // MARK: News

  /// Takes a row as it is now; `fits` says whether it belongs to the list. Returns how many rows were added above.
  update(row, fits) {
    const index = this.rows.findIndex((one) => one.id === row.id);
    if (index >= 0) {
      if (fits) this.rows[index] = row;
      else this.rows.splice(index, 1);
      return 0;
    }
    if (!fits || !this.isLoaded) return 0;
    if (row.id > (this.newest ?? 0)) {
      this.newest = row.id;
      if (!this.atTop) return 0;
      this.rows.unshift(row);
      return 1;
    }
    // One that was changed so that it belongs here now.
    const place = this.rows.findIndex((one) => one.id < row.id);
    if (place > 0 || (place === 0 && this.atTop)) this.rows.splice(place, 0, row);
    else if (place < 0 && this.atEnd) this.rows.push(row);
    return 0;
  }

  progress(one) {
    const row = this.rows.find((row) => row.id === one.id);
    if (row) Object.assign(row, { bytesDone: one.bytesDone, bytesTotal: one.bytesTotal ?? row.bytesTotal, rate: one.rate, standing: one.standing });
    return row;
  }

  remove(id) {
    const index = this.rows.findIndex((one) => one.id === id);
    if (index >= 0) this.rows.splice(index, 1);
  }

  /// Asks again for the rows around a place, since more has changed than was told. All others are let go: they may have changed
  /// as well, and are asked for when they are looked at.
  async refresh(first) {
    // What is being answered may be older than the change.
    this.again = first;
    if (this.isBusy) return;
    if (!this.isLoaded) return this.load();
    const place = Math.max(this.start, first - 20);
    const top = this.at(place);
    const query = top && first >= PAGE ? { before: top.id + 1, limit: PAGE } : null;
    this.again = null;
    const generation = this.generation;
    if (!query) await this.#first();
    else await this.#fetch(query, (page) => {
      const moved = this.indexOf(top.id);
      this.rows = page.transfers;
      this.start = moved < 0 ? place : moved;
      this.atTop = false;
      this.atEnd = !page.hasMore;
      return 0;
    });
    if (this.problem && generation === this.generation) this.again ??= first;
  }
}
