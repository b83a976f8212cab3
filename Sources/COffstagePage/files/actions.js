// SPDX-License-Identifier: Apache-2.0
// What a person does to transfers: at once where it can be undone, after a question where something is lost.
import { button, el } from './elements.js';
import { number, rate } from './format.js';
import { get, post } from './server.js';
import { t } from './words.js';

/// To which rows a verb applies.
const APPLIES = {
  pause: (row) => ['queued', 'running', 'waiting'].includes(row.state),
  resume: (row) => row.state === 'paused',
  retry: (row) => row.state === 'waiting' || (row.state === 'finished' && row.result !== 'completed'),
  cancel: (row) => row.state !== 'finished',
  forget: (row) => row.state === 'finished',
  limit: (row) => row.state !== 'finished',
};
export const VERBS = Object.keys(APPLIES);
export const applies = (verb, rows) => rows.filter(APPLIES[verb]);

const OPPOSITE = { pause: 'resume', resume: 'pause' };
const ASKED = new Set(['cancel', 'forget']);
const SHOWN = 12_000;

export function toast(sentence, undo) {
  // What is behind a dialog cannot be pressed.
  const box = [...document.querySelectorAll('dialog[open] .toasts')].at(-1) ?? document.getElementById('toasts');
  const node = el('div', { class: 'toast' }, el('span', {}, sentence));
  const remove = () => node.remove();
  if (undo) node.append(button(t('page.undo'), () => { remove(); undo(); }, { 'data-undo': true }));
  node.append(button('×', remove, { 'aria-label': t('page.close') }));
  box.append(node);
  while (box.children.length > 3) box.firstChild.remove();
  let timer = setTimeout(remove, SHOWN);
  // Whoever is about to press it has time.
  for (const name of ['pointerenter', 'focusin']) node.addEventListener(name, () => clearTimeout(timer));
  for (const name of ['pointerleave', 'focusout']) node.addEventListener(name, () => { clearTimeout(timer); timer = setTimeout(remove, SHOWN); });
}

export const complain = (error) => toast(error.message || t('page.notReached'));

/// Shows a dialog until it is closed; the promise has what it was closed with.
export function dialog(kind, title, ...children) {
  const node = el('dialog', { class: kind, 'aria-labelledby': 'dialog-title' }, el('h2', { id: 'dialog-title' }, title), ...children);
  // At the top, where they cover no button.
  if (kind === 'detail') node.prepend(el('div', { class: 'toasts', role: 'status' }));
  document.body.append(node);
  const before = document.activeElement;
  const closed = new Promise((resolve) => node.addEventListener('close', () => {
    node.remove();
    before?.focus?.({ preventScroll: true });
    resolve(node.returnValue);
  }));
  node.addEventListener('click', (event) => {
    const box = node.getBoundingClientRect();
    const isInside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (event.target === node && !isInside) node.close();
  });
  node.showModal();
  return { node, closed };
}

async function confirm(title, sentence, yes) {
  const { node, closed } = dialog('question', title, el('p', {}, sentence));
  node.append(el('p', { class: 'bar' },
    button(yes, () => node.close('yes'), { class: 'danger', 'data-answer': 'yes' }),
    button(t('page.keep'), () => node.close(), { 'data-answer': 'no', autofocus: true })));
  node.querySelector('[data-answer=no]').focus();
  return (await closed) === 'yes';
}

async function act(verb, body, undo) {
  try {
    const did = await post('/api/act', { verb, ...body });
    if (did.count) toast(t(`did.${verb}`, { count: number(did.count) }), undo && did.done.length === did.count ? () => undo(did.done) : undefined);
    else if (!did.refused.length) toast(t('did.nothing'));
    if (did.refused.length) toast(t('did.refused', { count: number(did.refused.length), reason: did.refused[0].message }));
  } catch (error) {
    complain(error);
  }
}

const undoing = (verb) => OPPOSITE[verb] && ((ids) => act(OPPOSITE[verb], { ids }));

/// Does something to rows, or to those among them to which it applies.
export async function perform(verb, rows) {
  const ids = applies(verb, rows).map((row) => row.id);
  if (!ids.length) return;
  if (verb === 'limit') return limit(ids);
  if (ASKED.has(verb) && !(await confirm(t(`ask.${verb}`, { count: number(ids.length) }), t(`ask.${verb}Text`), t(`do.${verb}`)))) return;
  // The daemon takes a thousand at a time.
  for (let first = 0; first < ids.length; first += 1000) await act(verb, { ids: ids.slice(first, first + 1000) }, undoing(verb));
}

/// Does something to all transfers to which it applies.
export async function performAll(verb) {
  const text = { cancel: 'ask.cancelText', forget: 'ask.forgetText', retry: 'ask.retryAllText' }[verb];
  if (text && !(await confirm(t(`ask.${verb}All`), t(text), t(`do.${verb}`)))) return;
  await act(verb, { all: true }, undoing(verb));
}

const speed = (bytes) => (bytes ? `${bytes}B` : 'none');

/// Sets a limit; `id` null is for all together.
export async function setLimit(id, text, before) {
  try {
    await post('/api/limit', id ? { id, speed: text } : { speed: text });
    const undo = before === undefined ? undefined : () => setLimit(id, speed(before));
    toast(t('did.limit', { rate: text === 'none' ? t('limits.none') : describe(text) }), undo);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

function describe(text) {
  const match = /^(\d+)B$/.exec(text);
  return match ? rate(Number(match[1])) : `${text}/s`;
}

async function limit(ids) {
  const known = ids.length === 1 ? (await get('/api/show', { id: ids[0] }).catch(() => null))?.[0]?.detail.rateLimit ?? null : null;
  const input = el('input', { id: 'limit-speed', autocomplete: 'off', spellcheck: 'false', value: known ? `${known}B` : '' });
  const title = ids.length === 1 ? t('ask.limit', { id: ids[0] }) : t('do.limit');
  const { node, closed } = dialog('question', title, el('label', { for: 'limit-speed' }, t('ask.limitText')), input);
  node.append(el('p', { class: 'bar' },
    button(t('ask.set'), () => node.close('yes'), { class: 'main', 'data-answer': 'yes' }),
    button(t('page.keep'), () => node.close(), { 'data-answer': 'no' })));
  input.addEventListener('keydown', (event) => { if (event.key === 'Enter') node.close('yes'); });
  input.focus();
  if ((await closed) !== 'yes' || !input.value.trim()) return;
  for (const id of ids) if (!(await setLimit(id, input.value.trim(), ids.length === 1 ? known : undefined))) return;
}

/// The buttons for rows, which `current` tells whenever one is pressed.
export function actionBar(current) {
  const buttons = VERBS.map((verb) => button(t(`do.${verb}`), () => perform(verb, current()), { 'data-verb': verb, class: ASKED.has(verb) ? 'danger' : undefined }));
  const node = el('div', { class: 'bar', role: 'group', 'aria-label': t('do.actions') }, buttons);
  node.refresh = () => {
    const rows = current();
    buttons.forEach((one, index) => { one.disabled = !applies(VERBS[index], rows).length; });
  };
  node.refresh();
  return node;
}
