// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The environment that the process was started with, as far as nobody had changed it when this was first asked for: what
/// leads to the daemon, also in an app whose own folders have taken the place of its user's.
package enum OriginalEnvironment {
    package static let variables = ProcessInfo.processInfo.environment
}
