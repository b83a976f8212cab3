// SPDX-License-Identifier: Apache-2.0

/// A processing task of a health study.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bghealthresearchtask>
open class BGHealthResearchTask: BGProcessingTask, @unchecked Sendable {}
