// SPDX-License-Identifier: Apache-2.0
// Everything that is asked of the program behind this page; nothing else is asked anything.

export class Refusal extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

async function answer(response) {
  if (response.ok) return response.json();
  const text = await response.text();
  let sentence = text.trim();
  try { sentence = JSON.parse(text).error ?? sentence; } catch { /* plain text */ }
  throw new Refusal(sentence || `HTTP ${response.status}`, response.status);
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', redirect: 'error', ...options });
  } catch {
    throw new Refusal('');
  }
  return answer(response);
}

export function get(path, fields) {
  const query = new URLSearchParams(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined && value !== ''));
  const text = query.toString();
  return ask(text ? `${path}?${text}` : path);
}

export function post(path, body) {
  const headers = { 'Content-Type': 'application/json', 'Offstage-Page': '1' };
  return ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/// Seconds that a page may be out of sight before it stops to be told what happens: the daemon is then left alone.
const PATIENCE = 20;

/// Calls `take` with each piece of news, and `gone` when the program no longer answers (true) or answers again (false).
export function listen(take, gone) {
  let source = null, timer = 0, failures = 0, isGone = false;
  const tell = (value) => { if (value !== isGone) { isGone = value; gone(value); } };
  const open = () => {
    if (source) return;
    source = new EventSource('/api/news');
    source.onmessage = (event) => {
      failures = 0;
      tell(false);
      take(JSON.parse(event.data));
    };
    source.onerror = () => {
      failures += 1;
      if (failures >= 3 || source?.readyState === EventSource.CLOSED) tell(true);
      if (source?.readyState === EventSource.CLOSED) close();
    };
  };
  const close = () => { source?.close(); source = null; };
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(close, PATIENCE * 1000);
    else open();
  };
  // One that was never in sight is left alone as well.
  const begin = () => { open(); look(); };
  document.addEventListener('visibilitychange', look);
  addEventListener('pagehide', close);
  addEventListener('pageshow', begin);
  begin();
  return { open: () => { close(); failures = 0; open(); } };
}
