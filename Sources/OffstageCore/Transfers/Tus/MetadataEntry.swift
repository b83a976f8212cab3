// SPDX-License-Identifier: Apache-2.0

/// A name and a value that an upload's server keeps with the file.
package struct MetadataEntry: Sendable, Hashable, Codable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Refuses a name that tus does not allow: names are ASCII, without spaces or commas.
    func validate() throws(RequestError) {
        guard !name.isEmpty, name.utf8.allSatisfy({ (33...126).contains($0) && $0 != UInt8(ascii: ",") }) else {
            throw .invalidValue(
                "'\(name.redactedControls)' is not a name for metadata: use ASCII letters, digits and signs, without spaces or commas"
            )
        }
    }
}
