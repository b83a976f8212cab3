// SPDX-License-Identifier: Apache-2.0

/// The command line makes no sense: one sentence that says what and how to put it right. Exit status 2.
package struct UsageError: Error, Sendable, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
