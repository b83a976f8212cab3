// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Defaults of a suite, as Foundation's initializer makes them.
///
/// What such an app sets is written before it is suspended: Foundation on Linux writes defaults only when it is told to,
/// and a suspended app may be killed. Spelled out, `UserDefaults.init(suiteName:)` makes the same without that.
///
/// - Parameter suiteName: the domain; nil for the app's own.
/// - Returns: nil for a name that Foundation refuses.
public func UserDefaults(suiteName: String?) -> Foundation.UserDefaults? {
    guard let defaults = Foundation.UserDefaults.init(suiteName: suiteName) else { return nil }
    if let suiteName { DefaultsInUse.note(suiteName) }
    return defaults
}
