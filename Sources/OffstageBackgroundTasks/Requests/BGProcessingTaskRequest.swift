// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// A request for a task that may take minutes and runs while the machine is not in use.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgprocessingtaskrequest>
open class BGProcessingTaskRequest: BGTaskRequest {
    /// Whether the task waits for a network.
    open var requiresNetworkConnectivity = false
    /// Whether the task waits for external power, and ends when it is lost.
    open var requiresExternalPower = false

    /// Creates a request for the task with this identifier.
    public init(identifier: String) { super.init(named: identifier) }

    override package var kind: TaskRequest.Kind { .processing }

    override package var draft: TaskDraft {
        var draft = super.draft
        draft.requiresNetwork = requiresNetworkConnectivity
        draft.requiresExternalPower = requiresExternalPower
        return draft
    }

    override package func adopt(_ draft: TaskDraft) {
        super.adopt(draft)
        requiresNetworkConnectivity = draft.requiresNetwork
        requiresExternalPower = draft.requiresExternalPower
    }
}
