// SPDX-License-Identifier: Apache-2.0
// Rules of the page's own scripts, run in the page by page_checks.py: each is [what, whether it holds]. What the page asks and
// what time it is are ours here, so the page is to be loaded anew afterwards.
const done = arguments[arguments.length - 1];
const results = [];
const check = (what, holds) => results.push([what, Boolean(holds)]);
const turn = () => new Promise((next) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = next; port2.postMessage(0); });
const turns = async () => { for (let count = 0; count < 50; count += 1) await turn(); };

async function rows() {
  const { Rows } = await import('/rows.js');
  const all = Array.from({ length: 2000 }, (_, index) => ({ id: index + 1, state: 'paused' }));
  let isDown = false, asked = 0, hold = null, clock = performance.now();
  const time = performance.now;
  performance.now = () => clock;
  const mark = (state) => all.forEach((row) => { row.state = state; });
  const list = new Rows(async ({ before, after, limit }) => {
    asked += 1;
    if (isDown) throw new Error('gone');
    const up = after !== undefined;
    const found = all.filter((row) => (up ? row.id > after : row.id < (before ?? Infinity)));
    const part = (up ? found.slice(0, limit) : found.slice(-limit)).map((row) => ({ ...row })).reverse();
    if (hold) await hold;
    list.expected = all.length;
    return { transfers: part, hasMore: found.length > limit };
  }, () => {});
  const look = async (first) => { list.want(first, first + 15); await turns(); };
  await list.load();
  for (let first = 0; first < 900; first += 60) await look(first);
  await look(300);
  mark('cancelled');
  await list.refresh(300);
  await turns();
  check('rows: after a refresh none is left as it was', list.rows.length && list.rows.every((row) => row.state === 'cancelled'));
  check('rows: and each is at its place', list.at(300)?.id === 1700 && list.rows.every((row, index) => row.id === 2000 - list.start - index));
  await look(40);
  check('rows: what is looked at is asked for again', list.at(40)?.id === 1960 && list.at(40).state === 'cancelled');
  let free;
  hold = new Promise((next) => { free = next; });
  const first = list.refresh(40);
  mark('forgotten');
  list.refresh(40);
  hold = null;
  free();
  await first;
  await turns();
  check('rows: a refresh that comes meanwhile is made up for', list.rows.every((row) => row.state === 'forgotten'));
  isDown = true;
  asked = 0;
  for (let second = 0; second < 60; second += 1) {
    clock += 1000;
    for (let frame = 0; frame < 60; frame += 1) { list.want(300, 315); await turn(); }
    list.retry();
    await turn();
  }
  check(`rows: questions that fail are asked seldom (${asked} in a minute)`, asked > 3 && asked < 15);
  isDown = false;
  clock += 11_000;
  list.retry();
  await turns();
  check('rows: and go on', !list.problem && list.at(300)?.id === 1700);
  isDown = true;
  await list.load();
  isDown = false;
  await list.refresh(0);
  await turns();
  check('rows: a list that could not be loaded is when there is news', list.isLoaded && list.at(0)?.id === 2000);
  performance.now = time;
}

async function ends() {
  const state = await import('/state.js');
  const real = window.fetch;
  const row = (id, more) => ({ id, state: 'finished', result: 'completed', finishedAt: `2026-01-01T00:00:${id}.000Z`, ...more });
  window.fetch = async (path) => {
    const id = Number(new URL(path, location).searchParams.get('id'));
    if (id === 33) return new Response('{"error":"There is no transfer 33."}', { status: 404 });
    return Response.json([{ row: id === 34 ? row(34, { state: 'waiting', result: undefined }) : row(id), detail: {} }]);
  };
  state.take({ snapshot: [31, 32, 33, 34].map((id) => row(id, { state: 'running', result: undefined, rate: 0 })) });
  state.take({ snapshot: [] });
  await turns();
  check('state: what ended while nothing was told has ended', ['31', '32'].every((id) => state.ended.some((one) => one.id === Number(id))));
  const place = (id) => state.ended.findIndex((one) => one.id === id);
  check('state: the latest first, and none that is forgotten', place(32) < place(31) && place(33) < 0);
  check('state: what a snapshot left out is under way', state.live.get(34)?.state === 'waiting' && !state.live.has(31));
  window.fetch = real;
}

async function news() {
  const { listen } = await import('/server.js');
  const real = { source: window.EventSource, later: window.setTimeout };
  const made = [], timers = [];
  window.EventSource = class {
    static CLOSED = 2;
    constructor() { this.readyState = 0; made.push(this); }
    close() { this.readyState = 2; }
  };
  window.setTimeout = (what, after) => timers.push([what, after]);
  const told = [];
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  const source = listen(() => {}, (gone) => told.push(gone));
  const rest = timers.find(([, after]) => after === 20_000);
  rest?.[0]();
  check('news: a page that is loaded out of sight is not told for ever', rest && made[0].readyState === 2);
  delete document.hidden;
  document.dispatchEvent(new Event('visibilitychange'));
  for (let count = 0; count < 4; count += 1) made.at(-1).onerror();
  source.open();
  made.at(-1).onmessage({ data: '{}' });
  check('news: "Try again" that succeeds says so', JSON.stringify(told) === '[true,false]');
  window.EventSource = real.source;
  window.setTimeout = real.later;
}

async function views() {
  const { loaded } = await import('/loaded.js');
  const { el } = await import('/elements.js');
  const real = window.setTimeout;
  const timers = [];
  window.setTimeout = (what, after) => timers.push([what, after]);
  let asked = 0;
  const end = loaded(el('div'), { ask: async () => { asked += 1; return asked; }, draw: () => [], every: 5 });
  await turns();
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  timers.at(-1)?.[0]();
  await turns();
  check('views: what is out of sight asks nothing', asked === 1);
  delete document.hidden;
  document.dispatchEvent(new Event('visibilitychange'));
  await turns();
  check('views: and asks when it is looked at', asked === 2);
  end();
  window.setTimeout = real;
  check('views: a name is shown in the order in which it stands', el('p', { title: 'a\u202Eb' }, 'c\u202Ed').outerHTML === '<p title="a\uFFFDb">c\uFFFDd</p>');
}

(async () => {
  for (const one of [rows, ends, news, views]) {
    try { await one(); } catch (error) { check(`${one.name}: ${error}`, false); }
  }
  done(results);
})();
