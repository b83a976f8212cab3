// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Waits until `probe` finds something, for what gives no signal of its own: the only place in the tests that looks
/// again and again, with a pause of a few milliseconds.
///
/// - Parameters:
///   - what: what is waited for, for the error.
///   - seconds: how long at most.
///   - probe: looks; nil for "not yet".
/// - Returns: what the probe found.
/// - Throws: `TestError` when the time is over, and what the probe throws.
@discardableResult
package func eventually<Found>(
    _ what: String,
    within seconds: Double = 20,
    _ probe: () throws -> Found?
) throws -> Found {
    let limit = TimeLimit(seconds: seconds)
    var pause: Int32 = 1
    while true {
        if let found = try probe() { return found }
        if limit.isOver { throw TestError("Waited \(seconds) s in vain: \(what).") }
        poll(nil, 0, min(pause, max(1, limit.milliseconds)))
        pause = min(20, pause * 2)
    }
}
