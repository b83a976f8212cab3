// SPDX-License-Identifier: Apache-2.0
// The views, in the order of their tabs. One is `{id, show(main)}`: `show` draws it, and returns what ends it. A view whose
// data comes from one question is made with `loaded`.
import accounts from './accounts.js';
import apps from './apps.js';
import doctor from './doctor.js';
import fleet from './fleet.js';
import limits from './limits.js';
import now from './now.js';
import queue from './queue.js';
import timeline from './timeline.js';
import transfers from './transfers.js';
import work from './work.js';

export const views = [now, transfers, queue, timeline, apps, work, accounts, limits, fleet, doctor];
