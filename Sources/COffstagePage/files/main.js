// SPDX-License-Identifier: Apache-2.0
// The page: its tabs, its language, and what it is told.
import { complain } from './actions.js';
import { attribute, button, el, text } from './elements.js';
import { duration } from './format.js';
import { listen, post } from './server.js';
import * as state from './state.js';
import { choose, language, t } from './words.js';
import { views } from './views.js';

const main = document.getElementById('view');
const tabs = document.getElementById('tabs');
const trouble = document.getElementById('trouble');
let end = null, isGone = false, told = '';

function show() {
  const view = views.find((one) => `#${one.id}` === location.hash) ?? views[0];
  end?.();
  main.replaceChildren();
  main.scrollTop = 0;
  for (const tab of tabs.children) attribute(tab, 'aria-current', tab.dataset.view === view.id ? 'page' : null);
  document.title = `${t(`view.${view.id}`)} – Offstage`;
  attribute(main, 'data-view', view.id);
  main.append(el('h1', {}, t(`view.${view.id}`)));
  end = view.show(main);
}

function speak() {
  document.documentElement.lang = language();
  text(document.getElementById('skip'), t('page.skip'));
  text(document.getElementById('language-label'), t('page.language'));
  document.getElementById('language').value = language();
  attribute(tabs, 'aria-label', t('page.views'));
  tabs.replaceChildren(...views.map((view) => el('a', { href: `#${view.id}`, 'data-view': view.id }, t(`view.${view.id}`))));
  stand();
  show();
}

/// A fleet's tab is there where this machine has one.
function place(known) {
  const tab = tabs.querySelector('[data-view=fleet]');
  if (tab) tab.hidden = !known?.hasFleet && location.hash !== '#fleet';
}

function stand() {
  const known = state.daemon.state;
  text(document.getElementById('standing'), known ? t('page.standing', { version: known.version, time: duration(known.uptime), network: known.network }) : t('page.connecting'));
  place(known);
  const reason = state.daemon.trouble;
  trouble.hidden = !isGone && !reason;
  // A button that is replaced cannot be pressed.
  const telling = JSON.stringify([isGone, reason, language()]);
  if (telling === told) return;
  told = telling;
  if (isGone) trouble.replaceChildren(el('span', {}, t('page.gone')), button(t('page.again'), () => source.open(), { 'data-again': '' }));
  else if (reason) trouble.replaceChildren(el('span', {}, t('page.daemonGone', { reason })), button(t('page.start'), () => post('/api/start', {}).catch(complain), { 'data-start': '' }));
}

document.getElementById('language').addEventListener('change', (event) => { choose(event.target.value); speak(); });
addEventListener('hashchange', () => { show(); main.focus({ preventScroll: true }); });
state.subscribe((change) => { if (change.state || change.trouble !== undefined) stand(); });
const source = listen(state.take, (gone) => { if (gone !== isGone) { isGone = gone; stand(); } });
speak();
