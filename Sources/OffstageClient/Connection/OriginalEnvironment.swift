// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The environment with which the process was started, as it was when this was first read: it leads to the daemon, even
/// in an app whose own folders have replaced its user's.
package enum OriginalEnvironment {
    package static let variables = ProcessInfo.processInfo.environment
    /// What the program is called.
    static var processName: String { ProcessInfo.processInfo.processName }
}
