// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import OffstageCore

/// A request for a processing task of a health study. No entitlement is needed: it runs like any other processing task.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bghealthresearchtaskrequest>
open class BGHealthResearchTaskRequest: BGProcessingTaskRequest {
    /// Which protected files the task reads. Stored by this request, but has no effect: files are always readable.
    open var protectionTypeOfRequiredData = FileProtectionType.completeUntilFirstUserAuthentication

    /// Returns an independent copy.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? BGHealthResearchTaskRequest)?.protectionTypeOfRequiredData = protectionTypeOfRequiredData
        return copy
    }

    override package var kind: TaskRequest.Kind { .healthResearch }
}
