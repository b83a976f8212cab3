// SPDX-License-Identifier: Apache-2.0
// The queue by host and owner.
import { el, table } from './elements.js';
import { number } from './format.js';
import { loaded } from './loaded.js';
import { get } from './server.js';
import { t } from './words.js';

export default {
  id: 'queue',
  show: (main) => loaded(main, {
    ask: () => get('/api/lines'),
    again: (change) => change.rows.length > 0 || change.isCut,
    draw: ({ lines, more }) => [el('section', {}, el('h2', {}, t('queue.title')),
      lines.length ? table(t('queue.title'), [[t('queue.host')], [t('queue.owner')], [t('queue.inLine'), true], [t('queue.running'), true], [t('queue.limit'), true]],
        lines.map((line) => [line.host, line.session ? `${line.owner} (${t('queue.session', { name: line.session })})` : line.owner, number(line.inLine), number(line.running), number(line.limit)]))
        : el('p', { class: 'soft' }, t('queue.empty')),
      more > 0 && el('p', { class: 'soft' }, t('queue.more', { count: number(more) })))],
  }),
};
