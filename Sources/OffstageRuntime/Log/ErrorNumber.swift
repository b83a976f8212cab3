// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// An `errno` as a value in the log, in the system's words.
package struct ErrorNumber: LogValue {
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    package var logText: String { String(cString: strerror(code)) }
}
