// SPDX-License-Identifier: Apache-2.0
// A fleet: its queues, members and rows, as `offstage fleet status`, `list`, `show` and `why` say.
import { complain, dialog } from './actions.js';
import { button, el, table } from './elements.js';
import { ago, bytes, duration, number, time } from './format.js';
import { loaded } from './loaded.js';
import { get } from './server.js';
import { has, t } from './words.js';

const STATES = ['waiting', 'leased', 'later', 'paused', 'done', 'failed', 'cancelled', 'unknown'];
const COLOURS = { leased: 'good', done: 'good', later: 'care', paused: 'care', failed: 'bad', unknown: 'bad', waiting: 'idle', cancelled: 'idle' };

const word = (state) => (has(`fleet.${state}`) ? t(`fleet.${state}`) : state);
const coloured = (state) => el('span', { class: COLOURS[state] }, word(state));
const name = (path) => path.split('/').at(-1) || path;
const section = (key, rows, none, ...children) => el('section', { 'data-section': key }, el('h2', {}, t(`fleet.${key}`)), rows.length ? children : el('p', { class: 'soft' }, t(none)));

function overview(status) {
  const figures = STATES.map((state) => el('div', {}, el('dt', {}, word(state)), el('dd', { 'data-figure': state }, number(status.counts[state]))));
  return el('section', {}, el('h2', {}, t('fleet.title', { id: status.fleet })), el('p', { class: 'soft small' }, t('fleet.place', status)),
    el('dl', { class: 'figures' }, figures,
      status.oldestWait > 0 && el('div', {}, el('dt', {}, t('fleet.wait')), el('dd', { 'data-figure': 'wait' }, duration(status.oldestWait)))),
    el('p', { class: 'soft small' }, t('fleet.text')));
}

const opener = (row, where) => button(t('fleet.details'), () => show(row.id), { 'data-key': `${where}-${row.id}`, 'data-row': row.id, 'aria-label': `${t('fleet.details')}: ${t('fleet.rowTitle', row)}` });

const open = ({ open: rows }) => section('open', rows, 'fleet.openNone', table(t('fleet.open'), [[t('fleet.row'), true], [t('fleet.file')], [t('fleet.state')], [t('detail.why')], ['']],
  rows.map((one) => [String(one.id), name(one.path), coloured(one.state),
    el('span', {}, one.summary, one.advice && el('br'), one.advice && el('span', { class: 'soft small' }, one.advice)), opener(one, 'open')])));

const queues = (status) => el('section', { 'data-section': 'queues' }, el('h2', {}, t('fleet.queues')),
  table(t('fleet.queues'), [[t('fleet.queue')], ...STATES.map((state) => [word(state), true])],
    status.queues.map((one) => [el('span', {}, one.name, one.pausedAt && el('br'), one.pausedAt && el('span', { class: 'care small' }, t('fleet.pausedBy', { who: one.pausedBy ?? '–', time: time(one.pausedAt) }))),
      ...STATES.map((state) => number(one.counts[state]))])));

function standing(one) {
  const state = one.isSilent && (one.state === 'active' || one.state === 'draining') ? 'silent' : one.state === 'active' && one.isDevice ? 'device' : one.state;
  const colour = { active: 'good', device: 'good', silent: 'bad', draining: 'care' }[state] ?? 'idle';
  return el('span', { class: colour }, has(`fleet.is.${state}`) ? t(`fleet.is.${state}`) : state);
}

const members = ({ members: all }) => section('members', all, 'fleet.membersNone', table(t('fleet.members'),
  [[t('fleet.member')], [t('fleet.state')], [t('fleet.version')], [t('fleet.seen')], [t('fleet.held'), true], [t('fleet.room'), true], [t('fleet.labels')]],
  all.map((one) => [one.name, standing(one), one.version, time(one.seenAt), number(one.held), number(one.room),
    el('span', {}, one.labels.filter((label) => label !== `member=${one.name}`).join(', '), one.network && el('span', { class: 'soft small' }, ` ${t('fleet.conditions', one)}`))])));

const limits = ({ limits: all }) => all.length > 0 && el('section', { 'data-section': 'limits' }, el('h2', {}, t('fleet.limits')),
  table(t('fleet.limits'), [[t('fleet.server')], [t('fleet.underWay'), true], [t('fleet.most'), true]], all.map((one) => [one.host, number(one.running), number(one.most)])));

const outcomes = ({ outcomes: all }) => all.length > 0 && el('section', { 'data-section': 'outcomes' }, el('h2', {}, t('fleet.outcomes')),
  table(t('fleet.outcomes'), [[t('fleet.member')], [t('detail.finished')], [t('fleet.state')], [t('fleet.size'), true], [t('fleet.file')]],
    all.map((one) => [one.member, time(one.endedAt), coloured(one.result), bytes(one.bytes),
      el('span', {}, name(one.path) || one.url, el('br'), el('span', { class: 'soft small' }, one.detail ?? one.url))])));

function list({ rows, hasMore }, chosen, load) {
  const select = el('select', { id: 'fleet-state', 'data-key': 'state', onchange: (event) => { Object.assign(chosen, { state: event.target.value, before: undefined }); load(); } },
    el('option', { value: '' }, t('fleet.all')), STATES.map((state) => el('option', { value: state, selected: state === chosen.state }, word(state))));
  const leap = (before) => { chosen.before = before; load(); };
  return el('section', { 'data-section': 'rows' }, el('h2', {}, t('fleet.rows')),
    el('p', { class: 'bar' }, el('label', { for: 'fleet-state' }, t('fleet.filter')), select,
      chosen.before && button(t('fleet.newest'), () => leap(undefined), { 'data-key': 'newest', 'data-newest': '' }),
      hasMore && button(t('fleet.older'), () => leap(rows.at(-1).id), { 'data-key': 'older', 'data-older': '' })),
    rows.length ? table(t('fleet.rows'), [[t('fleet.row'), true], [t('fleet.file')], [t('fleet.state')], [t('fleet.size'), true], [t('fleet.member')], ['']],
      rows.map((row) => [String(row.id), el('span', {}, name(row.path), el('br'), el('span', { class: 'soft small' }, `${row.queue} · ${row.url}`)), coloured(row.state), bytes(row.bytesTotal), row.member ?? '–', opener(row, 'rows')]))
      : el('p', { class: 'soft' }, t('fleet.rowsNone')));
}

function facts(row) {
  const all = {
    path: row.path, url: row.url, size: bytes(row.bytesTotal), done: row.bytesDone > 0 && bytes(row.bytesDone), queue: row.queue, labels: row.labels.join(', '),
    priority: row.priority === 0.5 ? null : String(row.priority), label: row.label, submitted: t('fleet.fact.by', { time: time(row.submittedAt), who: row.submitter }),
    member: row.member, fence: row.fence > 0 && String(row.fence), readyAt: row.readyAt && time(row.readyAt), status: row.status && String(row.status), detail: row.detail, receipt: row.receipt,
  };
  return el('dl', { class: 'facts' }, Object.entries(all).filter(([, value]) => value).flatMap(([key, value]) => [el('dt', {}, t(`fleet.fact.${key}`)), el('dd', { 'data-fact': key }, value)]));
}

async function show(id) {
  let row, reason;
  try {
    [[row], [reason]] = (await Promise.all([get('/api/fleet/show', { id }), get('/api/fleet/why', { id })])).map((answer) => answer.rows);
  } catch (error) {
    return complain(error);
  }
  if (!row) return;
  const { node } = dialog('detail', t('fleet.rowTitle', { id }), el('p', { 'data-state': '' }, coloured(row.state)),
    reason && el('div', { class: 'why', 'data-why': '' }, el('p', {}, reason.summary), row.since && el('p', { class: 'soft small' }, t('detail.since', { time: time(row.since), ago: ago(row.since) })), reason.advice && el('p', {}, reason.advice)),
    facts(row));
  node.append(el('p', { class: 'bar' }, button(t('page.close'), () => node.close(), { class: 'main', 'data-close': '' })));
}

export default {
  id: 'fleet',
  show(main) {
    const chosen = { state: '', before: undefined };
    return loaded(main, {
      ask: async () => {
        const [status, rows] = await Promise.all([get('/api/fleet/status'), get('/api/fleet/rows', chosen)]);
        return { status, rows, chosen: { ...chosen } };
      },
      // The database tells a page nothing.
      every: 10,
      draw: ({ status, rows }, load) => (status.isKnown === false ? [el('section', {}, el('p', { class: 'soft' }, t('fleet.none')))]
        : [overview(status), open(status), queues(status), members(status), limits(status), outcomes(status), list(rows, chosen, load)]),
    });
  },
};
