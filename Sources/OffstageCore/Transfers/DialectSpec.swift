// SPDX-License-Identifier: Apache-2.0

/// How an upload is spoken to its server, where one request does not do: a dialect's name and what its owner decided.
///
/// What the parameters mean is known to the dialect alone (`UploadDialect` in OffstageTransfers).
package struct DialectSpec: Sendable, Hashable, Codable {
    /// What the dialect is registered under, such as `dropbox`.
    package var name: String
    /// A JSON object.
    package var parameters: String
    /// Where the file goes, for people: `dropbox:/Photos/a.jpg`. In place of the URL, which says less.
    package var destination: String

    package init(name: String, parameters: String, destination: String) {
        self.name = name
        self.parameters = parameters
        self.destination = destination
    }
}
