// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore
import OffstageProtocol
import Synchronization

/// The core of a task of a background session, behind its `URLSessionTask`. Safe to use from any thread.
final class SessionTaskCore: Sendable {
    /// The settings that the app makes on a task before it is resumed.
    struct Hints: Sendable {
        var label: String?
        var priority: Float = URLSessionTask.defaultPriority
        var earliestBegin: Date?
        var clientExpectsToSend = NSURLSessionTransferSizeUnknown
        var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    }

    struct Counts: Sendable, Equatable {
        var sent: Int64 = 0
        var received: Int64 = 0
        var expectedToSend: Int64 = 0
        var expectedToReceive: Int64 = 0
    }

    struct State {
        var handOver = HandOver()
        /// The specification that the daemon listed, until it is first read.
        var specJSON: String?
        var requests = Requests()
        var response: URLResponse?
        var error: URLError?
        var phase = URLSessionTask.State.suspended
        var suspensions = 1
        var hints = Hints()
        var counts = Counts()
        /// The number of bytes last reported to the delegate.
        var reported: Int64 = 0
        /// Whether `progress` has been requested.
        var hasProgress = false
        var download = Download()
        /// The `Content-Type` of a form, which its request always has; nil for other tasks.
        var formContentType: String?
        /// Whether an interruption does not undo what was sent: the delegate never receives a lower number of bytes
        /// than before.
        var goesOnInTheMiddle = false
        var callbacks = Callbacks()
    }

    /// How the task reaches the daemon.
    struct HandOver {
        /// Set until the task has been handed over.
        var draft: SessionTaskDraft?
        var isSubmitted = false
        /// The end of the task's record in the journal.
        var position: JournalPosition?
        /// Why the task was not handed over.
        var problem: URLError?
        /// Whether a spooled body must be on disk before the task is handed over.
        var mustSyncBody = false
    }

    struct Download {
        /// The target path.
        var path: String?
        /// The number of bytes of an earlier download that the task continues.
        var resumeOffset: Int64 = 0
    }

    struct Requests {
        var original: URLRequest?
        var current: URLRequest?
    }

    /// Callbacks in addition to the delegate.
    struct Callbacks {
        var handler: SessionTaskHandler?
        /// Whether the task was created with a handler, in a previous process.
        var hadHandler = false
        /// Receives progress: bytes transferred, and the total.
        var watcher: (@Sendable (Int64, Int64) -> Void)?
        var resumeData: [ResumeDataHandler] = []
    }

    /// Used only on the delegate queue.
    struct ResumeDataHandler: @unchecked Sendable {
        let call: (Data?) -> Void
    }

    let number: Int
    let isUpload: Bool
    let session: SessionCore
    let state: Mutex<State>
    /// Why the daemon did not accept the task. Separate from the state, whose lock may be held by a caller waiting for
    /// the link's thread, and that thread receives the refusal.
    let refusal = Mutex<URLError?>(nil)

    var key: SessionTaskKey { SessionTaskKey(session: session.identifier, task: number) }

    /// Creates a new task.
    init(_ draft: SessionTaskDraft, handler: SessionTaskHandler?, number: Int, session: SessionCore) {
        self.number = number
        self.session = session
        isUpload = draft.isUpload
        var state = State()
        state.handOver.draft = draft
        state.requests.original = draft.request
        state.requests.current = draft.request
        state.callbacks.handler = handler
        state.goesOnInTheMiddle = draft.dialect != nil
        if case .resumedDownload(let resume) = draft.source { state.download.resumeOffset = resume.bytes }
        if case .form(let form) = draft.source { state.formContentType = form.contentType }
        self.state = Mutex(state)
    }

    /// Creates the object of a task of a previous process.
    init(_ row: ListSessionTasks.Row, isUpload: Bool, session: SessionCore) {
        number = row.task
        self.session = session
        self.isUpload = isUpload
        var state = State()
        state.specJSON = row.spec
        state.handOver.isSubmitted = true
        state.suspensions = row.kind == .paused ? 1 : 0
        state.phase = row.kind == .paused ? .suspended : .running
        // It is unknown what the delegate received before: it receives only what follows.
        state.reported = row.done
        if isUpload {
            state.counts.sent = row.done
        } else {
            state.counts.received = row.done
            state.counts.expectedToReceive = row.total ?? NSURLSessionTransferSizeUnknown
        }
        self.state = Mutex(state)
    }

    // MARK: - Properties

    var originalRequest: URLRequest? { decoded { $0.requests.original } }
    var currentRequest: URLRequest? { decoded { $0.requests.current } }
    var response: URLResponse? { state.withLock { $0.response } }
    var error: URLError? { state.withLock { $0.error } }
    var phase: URLSessionTask.State { state.withLock { $0.phase } }
    var counts: Counts { decoded { $0.counts } }
    var hints: Hints { decoded { $0.hints } }
    var downloadPath: String? { decoded { $0.download.path } }
    var resumeOffset: Int64 { decoded { $0.download.resumeOffset } }
    /// Whether the task was created with a completion handler by a process that no longer exists.
    var hadHandler: Bool { decoded { $0.callbacks.hadHandler } }
    /// Whether the task belongs to an `Uploader`.
    var isToAccount: Bool { decoded { $0.goesOnInTheMiddle } }

    /// Accesses the state once the specification that the daemon listed has been read.
    private func decoded<Value>(_ look: (inout sending State) -> Value) -> Value where Value: Sendable {
        state.withLock { state in
            readSpec(&state)
            return look(&state)
        }
    }

    private func readSpec(_ state: inout State) {
        guard let json = state.specJSON else { return }
        state.specJSON = nil
        guard let spec = try? WireCoding.decodeFromDaemon(TransferSpec.self, from: Array(json.utf8)) else { return }
        let request = session.settings.request(of: spec)
        state.requests.original = state.requests.original ?? request
        state.requests.current = state.requests.current ?? request
        state.goesOnInTheMiddle = spec.dialect != nil
        state.callbacks.hadHandler = spec.hasHandler == true
        state.hints.label = spec.label
        state.hints.priority = Float(spec.priority)
        state.hints.earliestBegin = spec.earliestBegin
        state.download.resumeOffset = spec.resumePartial?.syncedBytes ?? 0
        switch spec.direction {
        case .upload(let source): state.counts.expectedToSend = source.identity.size
        case .form(let form):
            state.counts.expectedToSend = form.body.count
            state.formContentType = form.contentType
        case .download(let target): state.download.path = target.path
        }
    }

    // MARK: - Settings

    func change(_ change: (inout Hints) -> Void) {
        state.withLock { state in
            readSpec(&state)
            change(&state.hints)
        }
    }

    var label: String? {
        get { hints.label }
        set {
            state.withLock { state in
                readSpec(&state)
                state.hints.label = newValue
                if state.isOutstanding { hand(.setDescription(key, newValue)) }
            }
        }
    }

    var priority: Float {
        get { hints.priority }
        set {
            state.withLock { state in
                readSpec(&state)
                state.hints.priority = min(max(newValue, 0), 1)
                if state.isOutstanding { hand(.setPriority(key, Double(state.hints.priority))) }
            }
        }
    }

    /// Writes a later request to the journal.
    func hand(_ entry: JournalEntry) { session.hub.hand(entry) }

    // MARK: - Progress

    /// - Returns: whether this is the first access to the task's `Progress`, and the caller must set it up.
    func claimProgress() -> Bool {
        state.withLock { state in
            defer { state.hasProgress = true }
            return !state.hasProgress
        }
    }

    func showCounts(in progress: Progress) {
        let (counts, phase) = (self.counts, self.phase)
        let expected = isUpload ? counts.expectedToSend : counts.expectedToReceive
        let done = isUpload ? counts.sent : counts.received
        progress.totalUnitCount = expected > 0 ? expected : phase == .completed ? max(done, 1) : -1
        progress.completedUnitCount = phase == .completed ? progress.totalUnitCount : done
    }
}

extension SessionTaskCore.State {
    /// Whether the daemon has the task and its end has not been delivered.
    var isOutstanding: Bool { handOver.isSubmitted && (phase == .running || phase == .suspended) }
}
