// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The command line makes no sense: one sentence that says what and how to put it right. Exit status 2.
package struct UsageError: Error, Sendable, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

extension String {
    /// A word as an error may repeat it: of a URL that stands in a wrong place no user, password or query.
    var withoutUserOfURL: String { firstRange(of: "://") == nil ? self : RequestURL.redact(self) }
}
