// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

/// The events of a background session, each delivered once, across all launches of the app.
///
/// The daemon considers an event handled when the next one is requested: if the program ends before that, the event is
/// delivered again. The sequence supports one iteration at a time and ends with the session.
public struct BackgroundSessionEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = BackgroundSessionEvent

    let channel: EventChannel

    /// Waits for one event after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let channel: EventChannel

        /// Returns the next event. Requesting it also confirms that the previous event has been handled. Nil once the
        /// session is invalidated or the caller is cancelled.
        public mutating func next() async -> BackgroundSessionEvent? { await channel.next() }
    }

    /// Creates an iterator over the events.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel) }
}

extension URLSession {
    /// The events of a background session, in addition to its delegate or instead of one; nil for a foreground session.
    ///
    /// After the first use, events wait until they are requested.
    public var backgroundEvents: BackgroundSessionEvents? {
        (self as? BackgroundURLSession)?.core.eventChannel().map { BackgroundSessionEvents(channel: $0) }
    }
}
