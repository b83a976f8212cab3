// SPDX-License-Identifier: Apache-2.0
// What `offstage doctor` finds.
import { button, el, table } from './elements.js';
import { loaded } from './loaded.js';
import { get } from './server.js';
import { t } from './words.js';

const COLOURS = { ok: 'good', warn: 'care', fail: 'bad' };

export default {
  id: 'doctor',
  show: (main) => loaded(main, {
    ask: () => get('/api/findings'),
    draw: ({ findings }, load) => [el('section', {}, el('h2', {}, t('doctor.title')),
      table(t('doctor.title'), [[''], [t('doctor.what')], [t('doctor.found')]],
        findings.map((one) => [el('strong', { class: COLOURS[one.level] }, t(`doctor.${one.level}`)), one.subject, el('span', {}, one.text, one.advice && el('br'), one.advice && el('span', { class: 'soft' }, `→ ${one.advice}`))])),
      el('p', { class: 'bar' }, button(t('page.refresh'), load, { 'data-key': 'refresh', 'data-refresh': '' })))],
  }),
};
