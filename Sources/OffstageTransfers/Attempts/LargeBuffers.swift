// SPDX-License-Identifier: Apache-2.0

/// Counts the attempts that use large buffers, which save CPU on a large file: only a few at a time.
struct LargeBuffers {
    private var users = 0
    private static let limit = 6

    /// - Returns: whether a place was left.
    mutating func reserve() -> Bool {
        guard users < Self.limit else { return false }
        users += 1
        return true
    }

    mutating func giveBack() { users -= 1 }
}
