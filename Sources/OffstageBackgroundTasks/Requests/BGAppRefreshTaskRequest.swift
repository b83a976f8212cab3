// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A request for a short task that updates the app's content: up to 30 s, whatever the person does in the meantime.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgapprefreshtaskrequest>
open class BGAppRefreshTaskRequest: BGTaskRequest {
    /// Creates a request for the task with this identifier.
    public init(identifier: String) { super.init(named: identifier) }

    override package var kind: TaskRequest.Kind { .refresh }
}
