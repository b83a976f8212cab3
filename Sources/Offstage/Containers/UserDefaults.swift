// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// User defaults of a suite, as created by Foundation's initializer.
///
/// They are written before the app is suspended: Foundation on Linux writes defaults only when asked to, and a
/// suspended app may be killed. Spelled out, `UserDefaults.init(suiteName:)` creates the same object without this.
///
/// - Parameter suiteName: the domain; nil for the app's own.
/// - Returns: the defaults; nil if Foundation rejects the name.
public func UserDefaults(suiteName: String?) -> Foundation.UserDefaults? {
    guard let defaults = Foundation.UserDefaults.init(suiteName: suiteName) else { return nil }
    if let suiteName { DefaultsInUse.record(suiteName) }
    return defaults
}
