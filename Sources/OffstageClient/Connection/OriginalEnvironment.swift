// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The environment that the process was started with, as first read. It determines which daemon is used, even in an app
/// whose own folders have replaced the user's.
package enum OriginalEnvironment {
    package static let variables = ProcessInfo.processInfo.environment
    /// The program's name.
    static var processName: String { ProcessInfo.processInfo.processName }
}
