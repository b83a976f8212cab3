// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Waits until `probe` finds something, for conditions that cannot be waited for otherwise: the only place in the tests
/// that polls, with a pause of a few milliseconds.
///
/// - Parameters:
///   - what: a description of the condition, for the error.
///   - seconds: the maximum wait.
///   - probe: looks; nil for "not yet".
/// - Returns: the probe's result.
/// - Throws: `TestError` if the time is over, and the probe's errors.
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
