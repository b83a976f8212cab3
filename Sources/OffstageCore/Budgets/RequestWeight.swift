// SPDX-License-Identifier: Apache-2.0

/// The weight of a request while it is worked on: 1 for one that costs almost nothing.
package enum RequestWeight {
    /// Requests whose answers contain many rows, or that affect many transfers.
    private static let heavy: [String: Int] = [
        "act": 16, "show": 16, "list": 8, "watch": 8, "queue.lines": 8, "session.tasks": 8, "session.ends": 8,
        "apps.list": 8, "apps.story": 8, "tasks.list": 8, "tasks.show": 8, "tasks.watch": 8, "tasks.forecast": 32,
        "timeline": 16,
    ]

    /// The bytes of payload that weigh 1.
    private static let unit = 16 << 10

    /// The weight of a request with this name and this many bytes of payload.
    package static func of(_ name: String, payload: Int) -> Int {
        (heavy[name] ?? 1) + payload / unit
    }
}
