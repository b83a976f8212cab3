// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore

/// Messages for an app's developer.
package enum StandardError {
    /// Writes a line; nothing happens if standard error cannot be written, as when the disk with its log is full:
    /// `FileHandle.write(_:)` would end the app. From any thread.
    ///
    /// - Parameter line: without its line break; control characters are made visible.
    package static func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line.redactedControls + "\n").utf8))
    }
}
