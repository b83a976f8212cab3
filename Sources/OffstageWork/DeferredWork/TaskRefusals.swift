// SPDX-License-Identifier: Apache-2.0

/// Which refusals were written down lately: an app that submits the same again and again fills no disk.
struct TaskRefusals {
    struct Key: Hashable {
        var app: String
        var identifier: String
        var code: Int
    }

    private var written: [Key: Double] = [:]

    /// Seconds for which the same refusal is not written once more.
    static let pause = 60.0
    /// Refusals in that time; of more nothing is written.
    static let limit = 1000

    /// Whether it is to be written now.
    mutating func isNew(_ key: Key, at uptime: Double) -> Bool {
        if let last = written[key], uptime - last < Self.pause { return false }
        if written.count >= Self.limit { written = written.filter { uptime - $0.value < Self.pause } }
        guard written.count < Self.limit else { return false }
        written[key] = uptime
        return true
    }
}
