// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

/// The events of a background session, each delivered once, across all launches of the app.
///
/// For the daemon, an event is finished when the next one is requested: if the program ends before that, the event is
/// delivered again. The sequence supports one iteration at a time; it ends with the session.
public struct BackgroundSessionEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = BackgroundSessionEvent

    let channel: EventChannel

    /// Waits for one event after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let channel: EventChannel

        /// The next event. Requesting it also says that the former one has been handled. Nil once the session is
        /// invalidated or the caller is cancelled.
        public mutating func next() async -> BackgroundSessionEvent? { await channel.next() }
    }

    /// An iteration over the events.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel) }
}

extension URLSession {
    /// The events of a background session, in addition to its delegate or in place of one; nil for a foreground
    /// session.
    ///
    /// From the first use on, events wait until they are requested.
    public var backgroundEvents: BackgroundSessionEvents? {
        (self as? BackgroundURLSession)?.core.eventChannel().map { BackgroundSessionEvents(channel: $0) }
    }
}
