// SPDX-License-Identifier: Apache-2.0
// Apps and where they stand.
import { complain, dialog } from './actions.js';
import { button, el, table } from './elements.js';
import { number, time } from './format.js';
import { loaded } from './loaded.js';
import { get } from './server.js';
import { has, t } from './words.js';

const state = (app) => {
  const word = has(`apps.${app.state}`) ? t(`apps.${app.state}`) : app.state;
  return app.isQuit ? `${word}, ${t('apps.quit')}` : word;
};

async function show(id) {
  let app;
  try { app = await get('/api/app', { id }); } catch (error) { return complain(error); }
  const facts = [['apps.state', state(app)], ['apps.executable', app.executable], ['apps.process', app.process && String(app.process)], ['apps.since', app.since && time(app.since)], ['apps.log', app.logPath], ['apps.problem', app.launchProblem]];
  const { node } = dialog('detail', app.name ?? app.id, el('p', { class: 'soft' }, app.id),
    el('dl', { class: 'facts' }, facts.filter(([, value]) => value).flatMap(([word, value]) => [el('dt', {}, t(word)), el('dd', {}, value)])));
  node.append(el('p', { class: 'bar' }, button(t('page.close'), () => node.close(), { class: 'main', 'data-close': '' })));
}

export default {
  id: 'apps',
  show: (main) => loaded(main, {
    ask: () => get('/api/apps'),
    again: (change) => change.hasTasks || change.rows.length > 0,
    // The daemon tells nobody but apps of their lives.
    every: 5,
    draw: ({ apps }) => [el('section', {}, el('h2', {}, t('view.apps')),
      apps.length ? table(t('view.apps'), [[t('apps.name')], [t('apps.state')], [t('apps.since')], [t('apps.process'), true], [t('apps.outstanding'), true], ['']],
        apps.map((app) => [app.name ? `${app.name} (${app.id})` : app.id, state(app), app.since ? time(app.since) : '–', app.process ? String(app.process) : '–', number(app.outstanding), button(t('apps.show'), () => show(app.id), { 'data-key': app.id, 'aria-label': `${t('apps.show')}: ${app.id}` })]))
        : el('p', { class: 'soft' }, t('apps.empty')))],
  }),
};
