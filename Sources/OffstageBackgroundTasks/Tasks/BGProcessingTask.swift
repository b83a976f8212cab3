// SPDX-License-Identifier: Apache-2.0

/// A task that may take minutes; its time is over when a person starts using the machine.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgprocessingtask>
open class BGProcessingTask: BGTask, @unchecked Sendable {}
