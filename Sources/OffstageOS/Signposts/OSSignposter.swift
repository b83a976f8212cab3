// SPDX-License-Identifier: Apache-2.0

/// A text with values that says more of a signpost.
public typealias SignpostMetadata = OSLogMessage

/// Marks intervals and events of one subsystem and category, as Apple's `OSSignposter`. They are written only when asked for
/// (docs/logging.md). From any thread; it neither waits nor fails.
public struct OSSignposter: Sendable {
    private let log: OSLog

    /// - Parameters:
    ///   - subsystem: whose signposts they are, such as `com.example.app`.
    ///   - category: what they are about.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// - Parameters:
    ///   - subsystem: whose signposts they are, such as `com.example.app`.
    ///   - category: what they are about.
    public init(subsystem: String, category: OSLog.Category) { log = OSLog(subsystem: subsystem, category: category) }

    /// For signposts of no subsystem.
    public init() { log = .default }

    /// - Parameter logHandle: whose subsystem and category signposts have.
    public init(logHandle: OSLog) { log = logHandle }

    /// - Parameter logger: whose subsystem and category signposts have.
    public init(logger: Logger) { log = logger.log }

    /// Writes nothing.
    public static let disabled = OSSignposter(logHandle: .disabled)

    /// Whether signposts are written.
    public var isEnabled: Bool { log.signpostsEnabled }

    /// A number that no other has in this process.
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: log) }

    /// A number that stands for an object as long as that lives.
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID { OSSignpostID(log: log, object: object) }

    /// Marks a point in time.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {
        log.mark(.event, name, id, duration: nil) { "" }
    }

    /// Marks a point in time, and says more of it.
    public func emitEvent(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        _ message: @autoclosure () -> SignpostMetadata
    ) {
        log.mark(.event, name, id, duration: nil) { message().text }
    }

    /// Marks where an interval begins.
    ///
    /// - Returns: what its end needs.
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        log.mark(.begin, name, id, duration: nil) { "" }
        return state(id)
    }

    /// Marks where an interval begins, and says more of it.
    ///
    /// - Returns: what its end needs.
    public func beginInterval(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        _ message: @autoclosure () -> SignpostMetadata
    ) -> OSSignpostIntervalState {
        log.mark(.begin, name, id, duration: nil) { message().text }
        return state(id)
    }

    /// As `beginInterval`: nothing here draws.
    ///
    /// - Returns: what its end needs.
    public func beginAnimationInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        beginInterval(name, id: id)
    }

    /// As `beginInterval`: nothing here draws.
    ///
    /// - Returns: what its end needs.
    public func beginAnimationInterval(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        _ message: @autoclosure () -> SignpostMetadata
    ) -> OSSignpostIntervalState {
        beginInterval(name, id: id, message())
    }

    /// Marks where an interval ends. An interval ends once: a second end is not written.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {
        end(name, state) { "" }
    }

    /// Marks where an interval ends, and says more of it. An interval ends once: a second end is not written.
    public func endInterval(
        _ name: StaticString,
        _ state: OSSignpostIntervalState,
        _ message: @autoclosure () -> SignpostMetadata
    ) {
        end(name, state) { message().text }
    }

    /// Marks an interval that lasts as long as `task`.
    ///
    /// - Returns: what `task` returns.
    /// - Throws: what `task` throws.
    public func withIntervalSignpost<T>(
        _ name: StaticString,
        id: OSSignpostID = .exclusive,
        around task: () throws -> T
    ) rethrows -> T {
        let state = beginInterval(name, id: id)
        defer { endInterval(name, state) }
        return try task()
    }

    /// Marks an interval that lasts as long as `task`, and says more of where it begins.
    ///
    /// - Returns: what `task` returns.
    /// - Throws: what `task` throws.
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
