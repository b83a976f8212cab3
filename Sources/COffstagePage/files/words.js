// SPDX-License-Identifier: Apache-2.0
// Every word of the page, in English and in Korean: [English, 한국어].

const words = {
  'page.skip': ['Skip to the content', '본문으로 건너뛰기'],
  'page.language': ['Language', '언어'],
  'page.views': ['Views', '화면'],
  'page.connecting': ['Connecting …', '연결하는 중 …'],
  'page.standing': ['offstaged {version}, running for {time} · {network}', 'offstaged {version}, {time} 동안 실행 중 · {network}'],
  'page.gone': ['The program behind this page has ended. Run “offstage page” in a terminal to open it again.', '이 페이지를 제공하던 프로그램이 종료되었습니다. 터미널에서 offstage page를 실행하면 다시 열 수 있습니다.'],
  'page.again': ['Try again', '다시 연결'],
  'page.start': ['Start the daemon', '데몬 시작'],
  'page.daemonGone': ['The daemon does not answer: {reason}', '데몬이 응답하지 않습니다: {reason}'],
  'page.loading': ['Loading …', '불러오는 중 …'],
  'page.failed': ['This could not be loaded: {reason}', '불러오지 못했습니다: {reason}'],
  'page.notReached': ['the program behind this page does not answer', '이 페이지의 프로그램이 응답하지 않습니다'],
  'page.refresh': ['Refresh', '새로 고침'],
  'page.close': ['Close', '닫기'],
  'page.undo': ['Undo', '실행 취소'],
  'page.keep': ['Leave it', '그대로 두기'],

  'view.now': ['Now', '지금'],
  'view.transfers': ['Transfers', '전송 목록'],
  'view.queue': ['Queue', '대기열'],
  'view.apps': ['Apps', '앱'],
  'view.work': ['Deferred work', '예약 작업'],
  'view.accounts': ['Accounts', '계정'],
  'view.limits': ['Limits', '속도 제한'],
  'view.doctor': ['Doctor', '상태 점검'],

  'unit.d': ['d', '일'], 'unit.h': ['h', '시간'], 'unit.m': ['min', '분'], 'unit.s': ['s', '초'],

  'state.queued': ['queued', '순서 대기'],
  'state.running': ['running', '전송 중'],
  'state.waiting': ['waiting', '대기 중'],
  'state.paused': ['paused', '일시 정지'],
  'state.finished': ['ended', '끝남'],
  'state.completed': ['complete', '완료'],
  'state.failed': ['failed', '실패'],
  'state.cancelled': ['cancelled', '취소됨'],

  'now.rate': ['Together', '전체 속도'],
  'now.rateOf': ['Speed of transfer {id} in the last minute', '{id}번 전송의 최근 1분 속도'],
  'now.rateOfAll': ['Speed of all transfers in the last minute', '전체 전송의 최근 1분 속도'],
  'now.running': ['Under way', '전송 중'],
  'now.none': ['Nothing is under way.', '진행 중인 전송이 없습니다.'],
  'now.stuck': ['Not moving, and why', '멈춰 있는 전송과 그 이유'],
  'now.stuckNone': ['Nothing is held up.', '멈춰 있는 전송이 없습니다.'],
  'now.ended': ['Ended while this page was open', '이 페이지를 연 뒤 끝난 전송'],
  'now.endedNone': ['None yet.', '아직 없습니다.'],
  'now.more': ['and {count} more: see “Transfers”', '외 {count}개는 ‘전송 목록’에서 볼 수 있습니다'],
  'now.notices': ['The daemon says', '데몬이 알리는 내용'],

  'list.label': ['Transfers, newest first', '전송 목록, 최근 항목부터'],
  'list.all': ['All', '전체'],
  'list.search': ['Search address or path', '주소나 경로 검색'],
  'list.owner': ['Owner', '소유자'],
  'list.empty': ['No transfer matches.', '조건에 맞는 전송이 없습니다.'],
  'list.none': ['There are no transfers yet.', '아직 전송이 없습니다.'],
  'list.selected': ['{count} selected', '{count}개 선택'],
  'list.together': ['All together', '한꺼번에'],
  'list.clear': ['Clear the selection', '선택 해제'],
  'list.help': ['Arrow keys move, Space selects, Enter opens.', '화살표 키로 이동, 스페이스로 선택, 엔터로 열기'],
  'list.count': ['{count} transfers', '전송 {count}개'],
  'list.filter': ['Show', '보기'],
  'list.select': ['Select transfer {id}', '{id}번 전송 선택'],
  'row.upload': ['Upload', '업로드'],
  'row.download': ['Download', '다운로드'],
  'row.left': ['{time} left', '{time} 남음'],

  'do.pause': ['Pause', '일시 정지'],
  'do.resume': ['Resume', '계속'],
  'do.retry': ['Retry', '다시 시도'],
  'do.cancel': ['Cancel', '취소'],
  'do.forget': ['Forget', '목록에서 지우기'],
  'do.limit': ['Limit …', '속도 제한 …'],
  'do.pauseAll': ['Pause all', '모두 일시 정지'],
  'do.resumeAll': ['Resume all', '모두 계속'],
  'do.retryAll': ['Retry all that failed', '실패한 전송 모두 다시 시도'],
  'do.cancelAll': ['Cancel all', '모두 취소'],
  'do.forgetAll': ['Forget all that ended', '끝난 전송 모두 지우기'],
  'do.actions': ['Actions', '작업'],
  'did.pause': ['Paused {count}.', '{count}개를 일시 정지했습니다.'],
  'did.resume': ['Resumed {count}.', '{count}개를 계속합니다.'],
  'did.retry': ['Retrying {count}.', '{count}개를 다시 시도합니다.'],
  'did.cancel': ['Cancelled {count}.', '{count}개를 취소했습니다.'],
  'did.forget': ['Removed {count} from the list.', '목록에서 {count}개를 지웠습니다.'],
  'did.limit': ['Limit: {rate}.', '속도 제한: {rate}.'],
  'did.nothing': ['There was nothing to do this to.', '해당하는 전송이 없습니다.'],
  'did.refused': ['{count} refused: {reason}', '{count}개는 처리하지 못했습니다: {reason}'],
  'ask.cancel': ['Cancel {count}?', '{count}개를 취소할까요?'],
  'ask.cancelText': ['What has been transferred so far may have to be transferred again.', '지금까지 전송한 내용을 처음부터 다시 보내거나 받아야 할 수 있습니다.'],
  'ask.forget': ['Remove {count} from the list?', '목록에서 {count}개를 지울까요?'],
  'ask.forgetText': ['Their histories are lost. The files stay.', '전송 기록이 사라집니다. 파일은 그대로 남습니다.'],
  'ask.cancelAll': ['Cancel all transfers that have not ended?', '끝나지 않은 전송을 모두 취소할까요?'],
  'ask.forgetAll': ['Remove all ended transfers from the list?', '끝난 전송을 목록에서 모두 지울까요?'],
  'ask.retryAll': ['Retry all transfers that failed?', '실패한 전송을 모두 다시 시도할까요?'],
  'ask.retryAllText': ['Each of them begins again, however long ago it failed.', '오래전에 실패한 전송까지 모두 다시 시작합니다.'],
  'ask.limit': ['Limit of transfer {id}', '{id}번 전송의 속도 제한'],
  'ask.limitText': ['Bytes per second, such as 500k or 2M; “none” for no limit.', '초당 바이트 수를 500k, 2M처럼 입력하세요. 제한을 없애려면 none을 입력하세요.'],
  'ask.set': ['Set', '적용'],

  'detail.title': ['Transfer {id}', '{id}번 전송'],
  'detail.why': ['Why', '이유'],
  'detail.since': ['since {time} ({ago})', '{time}부터 ({ago}째)'],
  'detail.next': ['next look at {time}, in {until}', '다음 확인 {time} ({until} 뒤)'],
  'detail.address': ['Address', '주소'],
  'detail.path': ['File', '파일'],
  'detail.method': ['Method', '메서드'],
  'detail.owner': ['Owner', '소유자'],
  'detail.label': ['Label', '이름표'],
  'detail.priority': ['Priority', '우선순위'],
  'detail.amount': ['Transferred', '전송량'],
  'detail.rate': ['Speed', '속도'],
  'detail.limit': ['Limit', '속도 제한'],
  'detail.created': ['Handed over', '등록 시각'],
  'detail.finished': ['Ended', '종료 시각'],
  'detail.attempts': ['Attempts', '시도 횟수'],
  'detail.status': ['Answer', '응답 코드'],
  'detail.standing': ['Where it stands', '진행 상황'],
  'detail.protocol': ['Protocol', '프로토콜'],
  'detail.proxy': ['Proxy', '프록시'],
  'detail.checksum': ['Checksum', '체크섬'],
  'detail.headers': ['Header fields', '요청 헤더'],
  'detail.history': ['Attempts so far', '지금까지의 시도'],
  'detail.attempt': ['Attempt', '시도'],
  'detail.began': ['Began', '시작'],
  'detail.took': ['Took', '걸린 시간'],
  'detail.moved': ['Bytes', '전송량'],
  'detail.outcome': ['Outcome', '결과'],
  'detail.ok': ['complete', '완료'],
  'detail.stopped': ['stopped', '중단됨'],
  'detail.none': ['none', '없음'],

  'queue.title': ['The queue by host and owner', '호스트와 소유자별 대기열'],
  'queue.host': ['Host', '호스트'],
  'queue.owner': ['Owner', '소유자'],
  'queue.inLine': ['In line', '대기'],
  'queue.running': ['Connections', '연결'],
  'queue.limit': ['At most', '최대'],
  'queue.empty': ['Nothing is in line.', '대기열이 비어 있습니다.'],
  'queue.more': ['and {count} more lines', '외 {count}줄'],
  'queue.session': ['session {name}', '세션 {name}'],

  'apps.empty': ['No app is registered.', '등록된 앱이 없습니다.'],
  'apps.name': ['App', '앱'],
  'apps.state': ['State', '상태'],
  'apps.since': ['Since', '시작'],
  'apps.process': ['Process', '프로세스'],
  'apps.outstanding': ['Transfers', '전송'],
  'apps.quit': ['quit by a person', '사용자가 종료함'],
  'apps.launching': ['launching', '시작하는 중'],
  'apps.active': ['active', '활성'],
  'apps.inactive': ['inactive', '비활성'],
  'apps.background': ['in the background', '백그라운드'],
  'apps.suspended': ['suspended', '일시 중단됨'],
  'apps.terminated': ['not running', '실행 중이 아님'],
  'apps.executable': ['Program', '실행 파일'],
  'apps.log': ['Log', '로그'],
  'apps.problem': ['Problem', '문제'],
  'apps.show': ['Show', '자세히'],

  'work.tasks': ['Waiting and running', '대기 중이거나 실행 중인 작업'],
  'work.empty': ['No deferred work is submitted.', '예약된 작업이 없습니다.'],
  'work.task': ['Task', '작업'],
  'work.kind': ['Kind', '종류'],
  'work.why': ['Why it waits', '대기 이유'],
  'work.next': ['Next look', '다음 확인'],
  'work.refresh': ['refresh', '새로 고침'],
  'work.processing': ['processing', '처리'],
  'work.continued': ['continued', '계속 처리'],
  'work.healthResearch': ['health research', '건강 연구'],
  'work.budgets': ['Time of the day for each app', '앱별 하루 작업 시간'],
  'work.budgetsEmpty': ['No app has used any.', '사용한 앱이 없습니다.'],
  'work.left': ['{left} of {daily} left', '{daily} 중 {left} 남음'],
  'work.history': ['What became of earlier work', '지난 작업의 결과'],
  'work.historyEmpty': ['Nothing is on record.', '기록이 없습니다.'],
  'work.when': ['When', '시각'],
  'work.outcome': ['Outcome', '결과'],
  'work.machine': ['The machine', '컴퓨터 상태'],
  'work.network': ['Network', '네트워크'],
  'work.power': ['Power', '전원'],
  'work.load': ['Load', '부하'],
  'work.disk': ['Disk', '디스크'],
  'work.lowData': ['Low data mode', '데이터 절약 모드'],

  'accounts.empty': ['There is no account. “offstage account add” adds one.', '계정이 없습니다. offstage account add로 추가할 수 있습니다.'],
  'accounts.name': ['Name', '이름'],
  'accounts.service': ['Service', '서비스'],
  'accounts.state': ['State', '상태'],
  'accounts.server': ['Server', '서버'],
  'accounts.added': ['Added', '추가한 날'],
  'accounts.usable': ['usable', '사용 가능'],
  'accounts.needsSignIn': ['needs a new sign-in', '다시 로그인해야 함'],
  'accounts.blocked': ['blocked', '차단됨'],

  'limits.title': ['All transfers together', '전체 전송'],
  'limits.now': ['Limit', '현재 제한'],
  'limits.none': ['none', '없음'],
  'limits.speed': ['New limit', '새 제한'],
  'limits.remove': ['No limit', '제한 없음'],
  'limits.schedule': ['By the schedule in the settings, until {time}.', '설정의 시간표에 따라 {time}까지 적용됩니다.'],
  'limits.pause': ['The schedule in the settings lets no transfer run until {time}.', '설정의 시간표에 따라 {time}까지 전송하지 않습니다.'],
  'limits.text': ['It lasts until the daemon stops or the schedule next changes.', '데몬이 멈추거나 시간표가 다음으로 바뀔 때까지 적용됩니다.'],
  'limits.one': ['The limit of one transfer is set where it is shown.', '개별 전송의 속도 제한은 그 전송의 상세 화면에서 바꿀 수 있습니다.'],

  'doctor.title': ['What the machine and the daemon look like', '컴퓨터와 데몬의 상태'],
  'doctor.ok': ['ok', '정상'],
  'doctor.warn': ['warning', '주의'],
  'doctor.fail': ['problem', '문제'],
  'doctor.what': ['What', '항목'],
  'doctor.found': ['Found', '확인한 내용'],

  // Why a transfer does not move. In English the daemon's own sentence is shown.
  'why.running': ['under way', '전송하고 있습니다'],
  'why.saving': ['all bytes have arrived; checking and saving the file', '모두 받았고, 파일을 확인해 저장하고 있습니다'],
  'why.inLine': ['in line behind {count}', '앞선 전송 {count}개가 끝나기를 기다립니다'],
  'why.next': ['next in line', '바로 다음 순서입니다'],
  'why.hostLimit': ['{count} transfers with {host} are running, the limit is {limit}', '{host}와 이미 {count}개를 전송하고 있습니다 (최대 {limit}개)'],
  'why.totalLimit': ['{count} transfers are running, the limit is {limit}', '이미 {count}개를 전송하고 있습니다 (최대 {limit}개)'],
  'why.network': ['waiting for network: {detail}', '네트워크를 기다립니다 ({detail})'],
  'why.held': ['{detail}', '전송 조건이 맞기를 기다립니다'],
  'why.retry': ['waiting to try again after attempt {count}: {detail}', '{failure} {count}번 시도했으며 다시 시도합니다 ({detail})'],
  'why.earliestBegin': ['waiting for its begin date', '정해 둔 시작 시각을 기다립니다'],
  'why.predecessor': ['waiting for transfer {id} to complete', '{id}번 전송이 끝나기를 기다립니다'],
  'why.credentials': ['waiting for credentials: {host} answered 401', '{host}에 로그인 정보가 필요합니다 (401 응답)'],
  'why.account': ['waiting for its account: {detail}', '계정을 다시 쓸 수 있기를 기다립니다 ({detail})'],
  'why.appDecides': ['waiting for {app}', '{app}의 결정을 기다립니다'],
  'why.paused': ['paused', '일시 정지했습니다'],
  'why.suspected': ['waiting to run alone', '데몬이 비정상 종료되었을 때 실행 중이던 전송이라, 혼자 실행될 차례를 기다립니다'],
  'why.setAside': ['set aside', '데몬이 비정상 종료될 때마다 실행 중이던 전송이라 따로 빼 두었습니다'],
  'why.storeTrouble': ['waiting for the store: {detail}', '저장소에 기록할 수 있기를 기다립니다 ({detail})'],
  'why.completed': ['done, the server answered {status}', '완료했습니다 (서버 응답 {status})'],
  'why.leftOut': ['left out: it exists already', '이미 있는 파일이라 건너뛰었습니다'],
  'why.failed': ['failed: {detail}', '{failure} ({detail})'],
  'why.cancelled': ['cancelled', '취소했습니다'],

  'hold.cellular': ['', '모바일이 아닌 네트워크를 기다립니다'],
  'hold.expensive': ['', '종량제가 아닌 네트워크를 기다립니다'],
  'hold.lowData': ['', '데이터 절약 모드가 끝나기를 기다립니다'],
  'hold.betterNetwork': ['', '급하지 않은 전송이라 종량제가 아닌 네트워크를 기다립니다'],
  'hold.externalPower': ['', '급하지 않은 전송이라 전원이 연결되기를 기다립니다'],
  'hold.unknownNetwork': ['', '종량제 네트워크인지 확인하고 있습니다'],
  'hold.schedule': ['', '설정의 시간표에 따라 지금은 전송하지 않습니다'],

  'failure.cannotFindHost': ['', '호스트를 찾지 못했습니다.'],
  'failure.cannotConnect': ['', '서버에 연결하지 못했습니다.'],
  'failure.connectionLost': ['', '연결이 끊어졌습니다.'],
  'failure.idleTimeout': ['', '서버가 한동안 응답하지 않았습니다.'],
  'failure.proxyFailed': ['', '프록시를 통해 연결하지 못했습니다.'],
  'failure.serverMisbehaves': ['', '서버가 규약에 맞지 않게 응답했습니다.'],
  'failure.serverBusy': ['', '서버가 바쁩니다.'],
  'failure.badServerResponse': ['', '서버의 응답을 이해할 수 없습니다.'],
  'failure.tooManyRedirects': ['', '리디렉션이 너무 많습니다.'],
  'failure.redirectRefused': ['', '따라갈 수 없는 리디렉션입니다.'],
  'failure.httpStatus': ['', '서버가 요청을 거절했습니다.'],
  'failure.unauthorized': ['', '로그인 정보가 없거나 맞지 않습니다.'],
  'failure.secureConnectionFailed': ['', '보안 연결을 맺지 못했습니다.'],
  'failure.certificateRejected': ['', '서버의 인증서를 믿을 수 없습니다.'],
  'failure.accountUnusable': ['', '계정을 사용할 수 없습니다.'],
  'failure.accessKeyRefused': ['', '서버가 액세스 키를 거절했습니다.'],
  'failure.keyCommandFailed': ['', '키를 가져오는 명령이 실패했습니다.'],
  'failure.destinationConflict': ['', '같은 이름의 파일이 이미 있습니다.'],
  'failure.destinationRefused': ['', '서버가 대상 위치를 거절했습니다.'],
  'failure.quotaExceeded': ['', '서버의 저장 공간이 가득 찼습니다.'],
  'failure.contentMismatch': ['', '서버에 저장된 내용이 파일과 다릅니다.'],
  'failure.commitUncertain': ['', '서버에 저장되었는지 확인하지 못했습니다.'],
  'failure.sourceMissing': ['', '보낼 파일이 없습니다.'],
  'failure.sourceUnreadable': ['', '보낼 파일을 읽을 수 없습니다.'],
  'failure.sourceIsDirectory': ['', '보낼 대상이 파일이 아니라 폴더입니다.'],
  'failure.sourceChanged': ['', '전송하는 동안 파일이 바뀌었습니다.'],
  'failure.targetExists': ['', '저장할 위치에 파일이 이미 있습니다.'],
  'failure.targetDirectoryMissing': ['', '저장할 폴더가 없습니다.'],
  'failure.targetNotWritable': ['', '저장할 위치에 쓸 수 없습니다.'],
  'failure.diskFull': ['', '디스크 공간이 부족합니다.'],
  'failure.checksumMismatch': ['', '체크섬이 맞지 않습니다.'],
  'failure.certificateFileUnreadable': ['', '인증서 파일을 읽을 수 없습니다.'],
  'failure.overallTimeout': ['', '제한 시간 안에 끝나지 않았습니다.'],
  'failure.daemonInterrupted': ['', '데몬이 멈추면서 중단되었습니다.'],
  'failure.internalError': ['', '내부 오류가 났습니다.'],
  'failure.requestTooLarge': ['', '요청이 너무 큽니다.'],

  // What a person can do. In English the daemon's own sentence is shown.
  'advice.nothing': ['', '따로 할 일은 없습니다. 조건이 맞으면 저절로 계속됩니다.'],
  'advice.hostLimit': ['', '따로 할 일은 없습니다. 더 많이 동시에 전송하려면 설정의 connectionsPerHost를 늘리세요.'],
  'advice.totalLimit': ['', '따로 할 일은 없습니다. 더 많이 동시에 전송하려면 설정의 maximumRunning을 늘리세요.'],
  'advice.network': ['', '네트워크 연결을 확인하세요. 연결되면 저절로 계속됩니다.'],
  'advice.retry': ['', '‘다시 시도’를 누르면 바로 시도합니다.'],
  'advice.predecessor': ['', '‘다시 시도’를 누르면 기다리지 않고 시작합니다.'],
  'advice.credentials': ['', '터미널에서 offstage header set {id} ‘Authorization: …’으로 새 로그인 정보를 넣어 주세요.'],
  'advice.account': ['', 'offstage account list로 계정을 확인하세요. 계정을 다시 추가하면 저절로 계속됩니다.'],
  'advice.appDecides': ['', '앱을 실행하세요. 앱이 세션을 만들면 바로 물어봅니다.'],
  'advice.paused': ['', '‘계속’을 누르면 이어서 전송합니다.'],
  'advice.setAside': ['', '‘다시 시도’를 누르면 한 번 더 실행합니다. ‘상태 점검’에 나온 내용을 알려 주세요.'],
  'advice.storeTrouble': ['', '저장소가 있는 디스크의 공간을 확보하거나 ‘상태 점검’을 확인하세요.'],
  'advice.failed': ['', '원인을 고친 뒤 ‘다시 시도’를 누르세요.'],
  'advice.cancelled': ['', '‘다시 시도’를 누르면 처음부터 다시 시작합니다.'],
};

const LANGUAGES = ['en', 'ko'];
const KEY = 'offstage-language';
let chosen = 0;
{
  let stored = null;
  try { stored = localStorage.getItem(KEY); } catch { /* not kept */ }
  const wanted = [stored, ...(navigator.languages ?? [])].filter(Boolean).map((tag) => LANGUAGES.indexOf(tag.slice(0, 2)));
  chosen = wanted.find((index) => index >= 0) ?? 0;
}

export const language = () => LANGUAGES[chosen];
export function choose(tag) {
  chosen = Math.max(0, LANGUAGES.indexOf(tag));
  try { localStorage.setItem(KEY, language()); } catch { /* not kept */ }
}

export function t(key, values) {
  const text = words[key]?.[chosen] || words[key]?.[0];
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values?.[name] ?? '');
}
export const has = (key) => Boolean(words[key]?.[chosen]);

/// Why a row does not move, or what has become of it.
export function reason(row) {
  if (language() === 'en') return row.reason.summary;
  const { code, failure, hold } = row.reason;
  if (code === 'held' && hold && has(`hold.${hold}`)) return t(`hold.${hold}`);
  const key = code === 'inLine' && row.why.count === '0' ? 'why.next' : `why.${code}`;
  if (!has(key)) return row.reason.summary;
  return t(key, { ...row.why, failure: failure ? t(`failure.${failure}`) : '' });
}

const ADVICE = { hostLimit: 'hostLimit', totalLimit: 'totalLimit', network: 'network', retry: 'retry', earliestBegin: 'retry', predecessor: 'predecessor', credentials: 'credentials', account: 'account', appDecides: 'appDecides', paused: 'paused', setAside: 'setAside', storeTrouble: 'storeTrouble', failed: 'failed', cancelled: 'cancelled' };

/// What a person can do about it.
export function advice(row) {
  if (language() === 'en') return row.reason.advice ?? '';
  if (!row.reason.advice) return '';
  return t(`advice.${ADVICE[row.reason.code] ?? 'nothing'}`, { id: row.id });
}

/// The state of a row, as a word: of one that has ended, how.
export const standing = (row) => (row.state === 'finished' ? row.result : row.state);
