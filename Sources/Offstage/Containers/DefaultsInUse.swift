// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// The user defaults that the app has open, to be written before it is suspended or ends. Safe to use from any thread.
///
/// On Apple's platforms, another process keeps the values that were set
/// (<https://developer.apple.com/documentation/foundation/userdefaults>). Foundation on Linux keeps them in the app's
/// memory until it is asked to write them, and does not report changes.
package enum DefaultsInUse {
    private static let suites = Mutex<Set<String>>([])
    /// More suites than an app has.
    private static let mostSuites = 1000

    static func record(_ suite: String) {
        suites.withLock { if $0.count < mostSuites { $0.insert(suite) } }
    }

    /// Writes the changes.
    package static func write() {
        Foundation.UserDefaults.standard.synchronize()
        for suite in suites.withLock({ $0 }) { Foundation.UserDefaults.init(suiteName: suite)?.synchronize() }
    }
}
