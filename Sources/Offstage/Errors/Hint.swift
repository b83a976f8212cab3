// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A hint to a program's author about code that compiles but does less than on a phone: one line on standard error,
/// once in the lifetime of the process. Safe to use from any thread.
enum Hint: String {
    case taskDelegate =
        "A background session calls only its own delegate, not a task's: make the session with the delegate."

    private static let given = Mutex<Set<String>>([])

    func give() {
        guard Self.given.withLock({ $0.insert(rawValue).inserted }) else { return }
        StandardError.write("Offstage: \(rawValue)")
    }
}
