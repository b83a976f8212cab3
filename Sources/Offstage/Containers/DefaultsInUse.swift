// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// The user defaults that the app has in its hands, to be written before it is suspended or ends. From any thread.
///
/// On Apple's platforms another process keeps what was set
/// (<https://developer.apple.com/documentation/foundation/userdefaults>); Foundation on Linux keeps it in the app's memory
/// until it is told to write it, and says nothing of changes.
package enum DefaultsInUse {
    private static let suites = Mutex<Set<String>>([])
    /// More than an app has.
    private static let mostSuites = 1000

    static func note(_ suite: String) {
        suites.withLock { if $0.count < mostSuites { $0.insert(suite) } }
    }

    /// Writes what has changed.
    package static func write() {
        Foundation.UserDefaults.standard.synchronize()
        for suite in suites.withLock({ $0 }) { Foundation.UserDefaults.init(suiteName: suite)?.synchronize() }
    }
}
