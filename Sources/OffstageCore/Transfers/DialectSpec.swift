// SPDX-License-Identifier: Apache-2.0

/// How an upload that takes more than one request is sent to its server: the dialect's name and its owner's choices.
///
/// Only the dialect knows the meaning of the parameters (`UploadDialect` in OffstageTransfers).
package struct DialectSpec: Sendable, Hashable, Codable {
    /// The name under which the dialect is registered, such as `dropbox`.
    package var name: String
    /// A JSON object.
    package var parameters: String
    /// Where the file goes, for people: `dropbox:/Photos/a.jpg`. Shown in place of the URL, which is less informative.
    package var destination: String

    package init(name: String, parameters: String, destination: String) {
        self.name = name
        self.parameters = parameters
        self.destination = destination
    }
}
