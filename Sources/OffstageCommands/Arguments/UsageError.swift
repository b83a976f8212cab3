// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The command line is invalid. One sentence explains what is wrong and how to fix it. Exit status 2.
package struct UsageError: Error, Sendable, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

extension String {
    /// The word, safe to repeat in an error: a misplaced URL loses its user, password and query.
    var withoutUserOfURL: String { firstRange(of: "://") == nil ? self : RequestURL.redact(self) }
}
