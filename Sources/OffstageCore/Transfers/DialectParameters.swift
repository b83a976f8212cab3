// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The owner's choices for an upload in a dialect, as stored in the transfer's specification.
package protocol DialectParameters: Codable, Sendable {
    /// The name of the dialect that reads them.
    static var dialect: String { get }
    /// The purpose of the parameters, in sentences.
    static var purpose: String { get }
    /// Whether the requests are the owner's own, so that the connection options apply to them.
    static var sendsOwnersRequests: Bool { get }

    /// Refuses parameters that the dialect cannot use.
    func validate() throws(RequestError)

    /// The account, or the key file, that a member of a fleet must lend for the upload; nil if there is none.
    ///
    /// - Throws: `RequestError` for values that a fleet's row may not name, such as servers that would get the
    ///   account's token.
    func lentAccount() throws(RequestError) -> String?
}

extension DialectParameters {
    package static var sendsOwnersRequests: Bool { false }

    /// `TransferSpec.dialect`.
    ///
    /// - Parameter destination: where the file goes, for people.
    /// - Returns: the dialect.
    /// - Throws: `RequestError` for parameters that `validate` refuses.
    func dialectSpec(to destination: String) throws(RequestError) -> DialectSpec {
        try validate()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else {
            throw .invalidValue("The parameters for \(Self.purpose) cannot be encoded")
        }
        let parameters = String(decoding: json, as: UTF8.self)
        return DialectSpec(name: Self.dialect, parameters: parameters, destination: destination)
    }

    /// Reads the parameters of a specification.
    ///
    /// - Throws: `RequestError` for parameters that cannot be read, or that `validate` refuses.
    package init(_ spec: DialectSpec) throws(RequestError) {
        guard let read = try? ForeignJSON.decode(Self.self, from: spec.parameters.utf8) else {
            throw .invalidValue("The parameters for \(Self.purpose) cannot be decoded: hand the file over again")
        }
        try read.validate()
        self = read
    }
}
