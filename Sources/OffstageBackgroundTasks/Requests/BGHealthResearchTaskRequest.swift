// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import OffstageCore

/// A processing task of a health study. There is no entitlement to ask for: it runs as any other processing task.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bghealthresearchtaskrequest>
open class BGHealthResearchTaskRequest: BGProcessingTaskRequest {
    /// Which protected files the task reads. Kept by this request, without effect: files are always readable.
    open var protectionTypeOfRequiredData = FileProtectionType.completeUntilFirstUserAuthentication

    /// A copy, which changes with nothing else.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? BGHealthResearchTaskRequest)?.protectionTypeOfRequiredData = protectionTypeOfRequiredData
        return copy
    }

    override package var kind: TaskRequest.Kind { .healthResearch }
}
