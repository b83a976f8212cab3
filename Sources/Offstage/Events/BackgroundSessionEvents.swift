// SPDX-License-Identifier: Apache-2.0
public import FoundationNetworking

/// The events of a background session, each once, over all launches of the app.
///
/// An event is over for the daemon when the next one is asked for: a program that ends before is told it again. For one
/// iteration at a time; it ends with the session.
public struct BackgroundSessionEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = BackgroundSessionEvent

    let channel: EventChannel

    /// Waits for one event after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let channel: EventChannel

        /// The next event, which also says that the former has been dealt with; nil once the session is invalidated or
        /// the caller is cancelled.
        public mutating func next() async -> BackgroundSessionEvent? { await channel.next() }
    }

    /// An iteration over the events.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel) }
}

extension URLSession {
    /// The events of a background session, beside its delegate or in place of one; nil for a session of the foreground.
    ///
    /// From the first use on, what happens waits until it has been asked for.
    public var backgroundEvents: BackgroundSessionEvents? {
        (self as? BackgroundURLSession)?.core.eventChannel().map { BackgroundSessionEvents(channel: $0) }
    }
}
