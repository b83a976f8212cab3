// SPDX-License-Identifier: Apache-2.0

/// A message that adds information to a signpost.
public typealias SignpostMetadata = OSLogMessage

/// Marks intervals and events of one subsystem and category, like Apple's `OSSignposter`. They are not written by
/// default (docs/logging.md). From any thread; it neither waits nor fails.
public struct OSSignposter: Sendable {
    private let log: OSLog

    /// - Parameters:
    ///   - subsystem: the subsystem of the signposts, such as `com.example.app`.
    ///   - category: the category of the signposts.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// - Parameters:
    ///   - subsystem: the subsystem of the signposts, such as `com.example.app`.
    ///   - category: the category of the signposts.
    public init(subsystem: String, category: OSLog.Category) { log = OSLog(subsystem: subsystem, category: category) }

    /// Creates a signposter without a subsystem.
    public init() { log = .default }

    /// - Parameter logHandle: the subsystem and category of the signposts.
    public init(logHandle: OSLog) { log = logHandle }

    /// - Parameter logger: the subsystem and category of the signposts.
    public init(logger: Logger) { log = logger.log }

    /// A signposter that writes nothing.
    public static let disabled = OSSignposter(logHandle: .disabled)

    /// Whether signposts are written.
    public var isEnabled: Bool { log.signpostsEnabled }

    /// Returns a number that is unique in this process.
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: log) }

    /// Returns a number that identifies an object during its lifetime.
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID { OSSignpostID(log: log, object: object) }

    /// Marks a point in time.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {
        log.mark(.event, name, id, duration: nil) { "" }
    }

    /// Marks a point in time, with a message.
    public func emitEvent(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        _ message: @autoclosure () -> SignpostMetadata
    ) {
        log.mark(.event, name, id, duration: nil) { message().text }
    }

    /// Marks the beginning of an interval.
    ///
    /// - Returns: the state for `endInterval`.
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        log.mark(.begin, name, id, duration: nil) { "" }
        return state(id)
    }

    /// Marks the beginning of an interval, with a message.
    ///
    /// - Returns: the state for `endInterval`.
    public func beginInterval(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        _ message: @autoclosure () -> SignpostMetadata
    ) -> OSSignpostIntervalState {
        log.mark(.begin, name, id, duration: nil) { message().text }
        return state(id)
    }

    /// The same as `beginInterval`: there are no animations here.
    ///
    /// - Returns: the state for `endInterval`.
    public func beginAnimationInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        beginInterval(name, id: id)
    }

    /// The same as `beginInterval`: there are no animations here.
    ///
    /// - Returns: the state for `endInterval`.
    public func beginAnimationInterval(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        _ message: @autoclosure () -> SignpostMetadata
    ) -> OSSignpostIntervalState {
        beginInterval(name, id: id, message())
    }

    /// Marks the end of an interval. An interval ends only once: a second end is not written.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {
        end(name, state) { "" }
    }

    /// Marks the end of an interval, with a message. An interval ends only once: a second end is not written.
    public func endInterval(
        _ name: StaticString,
        _ state: OSSignpostIntervalState,
        _ message: @autoclosure () -> SignpostMetadata
    ) {
        end(name, state) { message().text }
    }

    /// Marks an interval for the duration of `task`.
    ///
    /// - Returns: the value that `task` returns.
    /// - Throws: any error that `task` throws.
    public func withIntervalSignpost<T>(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        around task: () throws -> T
    ) rethrows -> T {
        let state = beginInterval(name, id: id)
        defer { endInterval(name, state) }
        return try task()
    }

    /// Marks an interval for the duration of `task`, with a message at its beginning.
    ///
    /// - Returns: the value that `task` returns.
    /// - Throws: any error that `task` throws.
    public func withIntervalSignpost<T>(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        _ message: @autoclosure () -> SignpostMetadata,
        around task: () throws -> T
    ) rethrows -> T {
        let state = beginInterval(name, id: id, message())
        defer { endInterval(name, state) }
        return try task()
    }

    private func state(_ id: OSSignpostID) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id, start: isEnabled ? ContinuousClock.now : nil)
    }

    private func end(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: () -> String) {
        guard state.end(), isEnabled else { return }
        log.mark(.end, name, state.signpostID, duration: state.start.map { ContinuousClock.now - $0 }, message)
    }
}
