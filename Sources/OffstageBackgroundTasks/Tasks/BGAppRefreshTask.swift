// SPDX-License-Identifier: Apache-2.0

/// A short task that brings the app's content up to date.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgapprefreshtask>
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}
