// SPDX-License-Identifier: Apache-2.0
import OffstageProtocol
import Synchronization

/// Hands events to one reader, and records when each has been handled.
final class EventChannel: Sendable {
    private struct Item {
        var event: BackgroundSessionEvent
        var done: @Sendable () -> Void
    }

    private struct State {
        var items: [Item] = []
        var first = 0
        /// Called once the most recently taken event has been handled.
        var owed: (@Sendable () -> Void)?
        var reader: CheckedContinuation<BackgroundSessionEvent?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Hands over an event; `done` is called once the reader has requested the following one.
    func offer(_ event: BackgroundSessionEvent, done: @escaping @Sendable () -> Void = {}) {
        let reader = state.withLock { state -> CheckedContinuation<BackgroundSessionEvent?, Never>? in
            guard let reader = state.reader else {
                state.items.append(Item(event: event, done: done))
                return nil
            }
            state.reader = nil
            state.owed = done
            return reader
        }
        reader?.resume(returning: event)
    }

    /// Ends the channel: no more events follow.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    func next() async -> BackgroundSessionEvent? {
        let owed = state.withLock { state in
            defer { state.owed = nil }
            return state.owed
        }
        owed?()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0) }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }

    private func wait(_ continuation: CheckedContinuation<BackgroundSessionEvent?, Never>) {
        let (event, isAnswered) = state.withLock { state -> (BackgroundSessionEvent?, Bool) in
            guard state.first < state.items.count else {
                state.items = []
                state.first = 0
                // A second reader, or one that has already been cancelled, receives nil.
                if state.isFinished || Task.isCancelled || state.reader != nil { return (nil, true) }
                state.reader = continuation
                return (nil, false)
            }
            let item = state.items[state.first]
            state.first += 1
            state.owed = item.done
            return (item.event, true)
        }
        if isAnswered { continuation.resume(returning: event) }
    }
}

extension SessionCore {
    /// The session's channel, opened at the first call; nil once the session is invalidated.
    func eventChannel() -> EventChannel? {
        let (channel, held) = state.withLock { state in
            guard state.session != nil else { return (nil as EventChannel?, [SessionTaskEnd]()) }
            let channel = state.events ?? EventChannel()
            state.events = channel
            // The held ends are waiting to be delivered again.
            state.ends.untold += state.held.count
            defer { state.held = [] }
            return (channel, state.held)
        }
        for end in held { deliver(.ended(end)) }
        return channel
    }
}
