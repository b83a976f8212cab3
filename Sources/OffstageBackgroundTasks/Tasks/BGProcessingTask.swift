// SPDX-License-Identifier: Apache-2.0

/// A task that may take minutes; its time is over when the machine is used.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgprocessingtask>
open class BGProcessingTask: BGTask, @unchecked Sendable {}
