// SPDX-License-Identifier: Apache-2.0

/// A short task that updates the app's content.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgapprefreshtask>
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}
