// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The subsystem and category of entries, like Apple's `OSLog`. From any thread.
public final class OSLog: NSObject, Sendable {
    /// A category that Apple's tools treat specially; here it is only a name.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// - Parameter rawValue: the name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Points of interest in a timeline.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        /// Entries that are only of interest while tracing.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        /// The same as `dynamicTracing`, with backtraces.
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    package let subsystem: String
    package let category: String
    /// The destination of entries; nil for a log that keeps nothing.
    let center: LogCenter?

    /// - Parameters:
    ///   - subsystem: the subsystem of the entries, such as `com.example.app`.
    ///   - category: the category of the entries.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, center: .shared)
    }

    /// - Parameters:
    ///   - subsystem: the subsystem of the entries, such as `com.example.app`.
    ///   - category: the category of the entries.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue, center: .shared)
    }

    package init(subsystem: String, category: String, center: LogCenter?) {
        self.subsystem = subsystem
        self.category = category
        self.center = center
    }

    /// A log without a subsystem.
    public static let `default` = OSLog(subsystem: "", category: "", center: .shared)

    /// A log that keeps nothing.
    public static let disabled = OSLog(subsystem: "", category: "", center: nil)

    /// Whether an entry of this type is kept (docs/logging.md).
    public func isEnabled(type: OSLogType) -> Bool { keeps(LogLevel(type)) }

    /// Whether signposts are kept (docs/logging.md).
    public var signpostsEnabled: Bool { center?.settings.keepsSignposts ?? false }

    func keeps(_ level: LogLevel) -> Bool { center?.settings.keeps(level) ?? false }

    func write(_ level: LogLevel, _ message: String, _ code: LogEntry.Code? = nil) {
        center?.write(
            LogEntry(level: level, subsystem: subsystem, category: category, message: message, code: code)
        )
    }
}
