// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A subsystem and a category that entries belong to, as Apple's `OSLog`. From any thread.
public final class OSLog: NSObject, Sendable {
    /// The name of a category that Apple's tools treat in their own way; here it is a name.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// - Parameter rawValue: the name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// What a developer wants to see in a timeline.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        /// What is of interest only while somebody traces it.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        /// As `dynamicTracing`, with its callers.
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    package let subsystem: String
    package let category: String
    /// Nil keeps nothing.
    let center: LogCenter?

    /// - Parameters:
    ///   - subsystem: whose entries they are, such as `com.example.app`.
    ///   - category: what they are about.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, center: .shared)
    }

    /// - Parameters:
    ///   - subsystem: whose entries they are, such as `com.example.app`.
    ///   - category: what they are about.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue, center: .shared)
    }

    package init(subsystem: String, category: String, center: LogCenter?) {
        self.subsystem = subsystem
        self.category = category
        self.center = center
    }

    /// Entries of no subsystem.
    public static let `default` = OSLog(subsystem: "", category: "", center: .shared)

    /// Keeps nothing.
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
