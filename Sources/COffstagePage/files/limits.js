// SPDX-License-Identifier: Apache-2.0
// The limit of all transfers together.
import { setLimit } from './actions.js';
import { button, el } from './elements.js';
import { rate, time } from './format.js';
import { loaded } from './loaded.js';
import { get } from './server.js';
import { t } from './words.js';

function draw({ rateLimit, schedule }) {
  const input = el('input', { id: 'all-speed', autocomplete: 'off', spellcheck: 'false', 'data-key': 'speed', 'aria-describedby': 'all-help' });
  const set = () => { if (input.value.trim()) setLimit(null, input.value.trim(), rateLimit ?? null); };
  input.addEventListener('keydown', (event) => { if (event.key === 'Enter') set(); });
  const until = schedule?.until ? time(schedule.until) : '…';
  return [el('section', {}, el('h2', {}, t('limits.title')),
    el('dl', { class: 'figures' }, el('div', {}, el('dt', {}, t('limits.now')), el('dd', { 'data-figure': 'limit' }, rateLimit ? rate(rateLimit) : t('limits.none')))),
    schedule?.isInForce && el('p', {}, t(schedule.isPause ? 'limits.pause' : 'limits.schedule', { time: until })),
    el('p', { class: 'bar' }, el('label', { for: 'all-speed' }, t('limits.speed')), input,
      button(t('ask.set'), set, { class: 'main', 'data-key': 'set', 'data-set': '' }), button(t('limits.remove'), () => setLimit(null, 'none', rateLimit ?? null), { 'data-key': 'none', 'data-remove': '' })),
    el('p', { class: 'soft small', id: 'all-help' }, t('ask.limitText')),
    el('p', { class: 'soft small' }, t('limits.text')), el('p', { class: 'soft small' }, t('limits.one')))];
}

export default {
  id: 'limits',
  show: (main) => loaded(main, {
    // What changes from second to second says nothing of limits.
    ask: () => get('/api/state').then(({ rateLimit, schedule }) => ({ rateLimit, schedule })),
    again: (change) => Boolean(change.state),
    draw,
  }),
};
