// SPDX-License-Identifier: Apache-2.0
// Accounts, without anything that is secret about them.
import { el, table } from './elements.js';
import { time } from './format.js';
import { loaded } from './loaded.js';
import { get } from './server.js';
import { has, t } from './words.js';

const state = (one) => el('span', { class: one.state === 'usable' ? 'good' : 'bad' }, has(`accounts.${one.state}`) ? t(`accounts.${one.state}`) : one.state, one.reason ? `: ${one.reason}` : '');

export default {
  id: 'accounts',
  show: (main) => loaded(main, {
    ask: () => get('/api/accounts'),
    every: 30,
    draw: ({ accounts }) => [el('section', {}, el('h2', {}, t('view.accounts')),
      accounts.length ? table(t('view.accounts'), [[t('accounts.name')], [t('accounts.service')], [t('accounts.state')], [t('accounts.server')], [t('accounts.added')]],
        accounts.map((one) => [one.name, one.service, state(one), one.apiURL, time(one.addedAt)]))
        : el('p', { class: 'soft' }, t('accounts.empty')))],
  }),
};
