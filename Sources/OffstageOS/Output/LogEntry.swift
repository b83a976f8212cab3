// SPDX-License-Identifier: Apache-2.0

/// An entry in its written form, without the values that may not be read.
package struct LogEntry: Sendable {
    /// The location in the program's source where the entry was logged.
    package struct Code: Sendable {
        package var file: StaticString
        package var line: UInt

        package init(file: StaticString, line: UInt) {
            self.file = file
            self.line = line
        }
    }

    package var level: LogLevel
    package var subsystem: String
    package var category: String
    package var message: String
    package var code: Code?

    package init(level: LogLevel, subsystem: String, category: String, message: String, code: Code? = nil) {
        self.level = level
        self.subsystem = subsystem
        self.category = category
        self.message = message
        self.code = code
    }
}
