// SPDX-License-Identifier: Apache-2.0
// One transfer as a row, which is filled anew for another transfer or another moment.
import { attribute, el, meter, sparkline, text } from './elements.js';
import { amount, duration, rate, share } from './format.js';
import { history } from './state.js';
import { reason, standing, t } from './words.js';

const COLOURS = { running: 'good', completed: 'good', failed: 'bad', waiting: 'care', paused: 'care', queued: 'idle', cancelled: 'idle' };

function left(row) {
  if (row.state !== 'running' || !row.bytesTotal || !(row.rate > 0)) return '';
  return t('row.left', { time: duration((row.bytesTotal - row.bytesDone) / row.rate) });
}

/// `parts` says what each cell is: `{row: 'row', cell: 'gridcell'}` in a grid; nothing in a list.
export function rowView(properties, parts, pick) {
  const name = el('span', { class: 'name' }), place = el('span', { class: 'soft small' });
  const state = el('span', {}), why = el('span', { class: 'soft small' });
  const bar = meter(), sum = el('span', { class: 'amount' }), speed = el('span', { class: 'amount' });
  const curve = sparkline('', false);
  const cell = (className, ...children) => el('div', { class: className, role: parts.cell }, ...children);
  const node = el('div', { class: pick ? 'row' : 'row plain', role: parts.row, ...properties },
    pick, cell('two what', name, place), cell('two how', state, why), cell('sum', bar, sum), cell('speed', curve, speed));
  node.draw = (row) => {
    if (!row) {
      for (const one of [name, place, state, why, sum, speed]) text(one, '');
      text(name, '…');
      bar.set(0);
      attribute(curve, 'display', 'none');
      return;
    }
    text(name, `${row.direction === 'upload' ? '↑' : '↓'} ${row.name || row.url}`);
    attribute(name, 'title', `${t(`row.${row.direction}`)} ${row.id}`);
    text(place, `${row.id} · ${row.url}`);
    attribute(place, 'title', row.url);
    const word = standing(row);
    text(state, t(`state.${word}`));
    attribute(state, 'class', COLOURS[word] ?? '');
    const said = row.state === 'running' ? [row.standing, left(row)].filter(Boolean).join(' · ') : reason(row);
    text(why, said);
    attribute(why, 'title', said);
    bar.set(share(row));
    text(sum, amount(row));
    const isRunning = row.state === 'running';
    attribute(curve, 'display', isRunning ? null : 'none');
    text(speed, isRunning ? rate(row.rate) : '');
    if (isRunning) node.curve(row);
  };
  node.curve = (row) => {
    attribute(curve, 'aria-label', t('now.rateOf', { id: row.id }));
    curve.draw(history(row.id));
  };
  return node;
}
