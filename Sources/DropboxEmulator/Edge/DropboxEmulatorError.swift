// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why the emulator cannot carry out a request, as one sentence.
package struct DropboxEmulatorError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    /// A failed system call, with the text of `errno` at the time of the call.
    static func system(_ what: String) -> DropboxEmulatorError {
        DropboxEmulatorError("\(what): \(String(cString: strerror(errno))).")
    }
}
