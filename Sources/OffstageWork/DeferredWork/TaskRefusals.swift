// SPDX-License-Identifier: Apache-2.0

/// The recently recorded refusals, which keep an app that repeats the same request from filling the disk.
struct TaskRefusals {
    struct Key: Hashable {
        var app: String
        var identifier: String
        var code: Int
    }

    private var written: [Key: Double] = [:]

    /// The seconds during which the same refusal is not recorded again.
    static let pause = 60.0
    /// The most refusals recorded in that time.
    static let limit = 1000

    /// Whether to record a refusal now.
    mutating func isNew(_ key: Key, at uptime: Double) -> Bool {
        if let last = written[key], uptime - last < Self.pause { return false }
        if written.count >= Self.limit { written = written.filter { uptime - $0.value < Self.pause } }
        guard written.count < Self.limit else { return false }
        written[key] = uptime
        return true
    }
}
