// SPDX-License-Identifier: Apache-2.0
// A view that is one question and its answer, asked again when something has happened that concerns it.
import { button, el } from './elements.js';
import { subscribe } from './state.js';
import { t } from './words.js';

/// Seconds between two questions: fifty times as long as the last answer took, so that a long answer costs no more than a
/// short one, within bounds.
const REST = 1, TIMES = 50, MOST = 10;

/// `ask()` promises the answer, `draw(answer)` makes nodes of it, `again(change)` says whether a change concerns it, and
/// `every` after how many seconds it is asked again in any case.
export function loaded(main, { ask, draw, again, every }) {
  const box = el('div', { class: 'loaded', 'aria-busy': 'true' }, el('p', { class: 'soft' }, t('page.loading')));
  main.append(box);
  let isGone = false, isAsking = false, isWanted = false, isDue = false, timer = 0, shown = '', asked = -Infinity, rest = REST;
  const load = async () => {
    if (isAsking) { isWanted = true; return; }
    clearTimeout(timer);
    isAsking = true;
    isDue = false;
    asked = performance.now();
    try {
      const answer = await ask();
      rest = Math.min(MOST, Math.max(REST, (TIMES * (performance.now() - asked)) / 1000));
      const text = JSON.stringify(answer);
      if (!isGone && text !== shown) {
        shown = text;
        const before = document.activeElement?.dataset?.key;
        box.replaceChildren(...draw(answer, load).filter(Boolean));
        if (before) [...box.querySelectorAll('[data-key]')].find((node) => node.dataset.key === before)?.focus();
      }
    } catch (error) {
      shown = '';
      if (!isGone) box.replaceChildren(el('section', {}, el('p', { class: 'bad' }, t('page.failed', { reason: error.message || t('page.notReached') })), button(t('page.again'), load)));
    }
    box.setAttribute('aria-busy', 'false');
    isAsking = false;
    if (isGone) return;
    if (isWanted) soon();
    else if (every) timer = setTimeout(() => { if (document.hidden) isDue = true; else load(); }, Math.max(every, rest) * 1000);
  };
  const soon = () => {
    isWanted = isAsking;
    if (isAsking) return;
    clearTimeout(timer);
    timer = setTimeout(load, Math.max(0, asked + rest * 1000 - performance.now()));
  };
  // What nobody looks at is asked nothing, until somebody does.
  const look = () => { if (isDue && !document.hidden) load(); };
  document.addEventListener('visibilitychange', look);
  load();
  const end = subscribe((change) => { if (change.isNew || again?.(change)) soon(); });
  return () => { isGone = true; clearTimeout(timer); document.removeEventListener('visibilitychange', look); end(); };
}
