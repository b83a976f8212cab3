// SPDX-License-Identifier: Apache-2.0
// Deferred work: what waits and why, how much time each app has left today, and what became of earlier work.
import { el, meter, table } from './elements.js';
import { duration, time } from './format.js';
import { loaded } from './loaded.js';
import { get } from './server.js';
import { has, t } from './words.js';

const kind = (name) => (has(`work.${name}`) ? t(`work.${name}`) : name);

function budget(one) {
  const bar = meter();
  bar.set(one.secondsOfDay > 0 ? one.secondsLeft / one.secondsOfDay : 0);
  return [one.app, bar, t('work.left', { left: duration(one.secondsLeft), daily: duration(one.secondsOfDay) })];
}

const section = (title, rows, empty, make) => el('section', {}, el('h2', {}, title), rows.length ? make() : el('p', { class: 'soft' }, empty));

export default {
  id: 'work',
  show: (main) => loaded(main, {
    ask: () => get('/api/tasks'),
    again: (change) => change.hasTasks,
    draw: ({ tasks, history, budgets, conditions }) => [
      section(t('work.tasks'), tasks, t('work.empty'), () => table(t('work.tasks'), [[t('work.task')], [t('work.kind')], [t('work.why')], [t('work.next')]],
        tasks.map((one) => [el('span', {}, one.identifier, el('br'), el('span', { class: 'soft small' }, one.app)), kind(one.kind), el('span', {}, one.reason?.summary ?? '', el('br'), el('span', { class: 'soft small' }, one.reason?.advice ?? '')), one.reason?.nextLook ? time(one.reason.nextLook) : '–']))),
      section(t('work.budgets'), budgets, t('work.budgetsEmpty'), () => table(t('work.budgets'), [[t('apps.name')], [''], ['']], budgets.map(budget))),
      section(t('work.history'), history, t('work.historyEmpty'), () => table(t('work.history'), [[t('work.when')], [t('work.task')], [t('work.outcome')]],
        history.slice(0, 50).map((one) => [time(one.date), one.identifier, one.text]))),
      el('section', {}, el('h2', {}, t('work.machine')), el('dl', { class: 'facts' },
        ['network', 'power', 'load', 'disk', 'lowData'].flatMap((name) => [el('dt', {}, t(`work.${name}`)), el('dd', {}, conditions[name])]))),
    ],
  }),
};
