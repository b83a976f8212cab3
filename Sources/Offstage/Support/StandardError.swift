// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore

/// Messages for an app's developer.
package enum StandardError {
    /// Writes a line. Does nothing if standard error cannot be written, for example when the disk with its log is full:
    /// `FileHandle.write(_:)` would end the app. Safe to call from any thread.
    ///
    /// - Parameter line: the line, without a line break; control characters are made visible.
    package static func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line.redactedControls + "\n").utf8))
    }
}
