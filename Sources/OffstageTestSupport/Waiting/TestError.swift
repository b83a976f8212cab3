// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A fixture's failure: a fault of the test or its environment unless it says otherwise.
package struct TestError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    /// A failed system call, with the text of `errno` at the time of the call.
    package static func system(_ what: String, _ code: Int32 = errno) -> TestError {
        TestError("\(what): \(String(cString: strerror(code)))")
    }
}
