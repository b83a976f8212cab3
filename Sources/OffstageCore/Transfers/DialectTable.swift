// SPDX-License-Identifier: Apache-2.0

/// The parameters of every dialect of uploads. A new dialect adds a line here.
enum DialectTable {
    private static let all: [any DialectParameters.Type] = [
        DropboxParameters.self, TusParameters.self, ResumableParameters.self, S3Parameters.self, GCSParameters.self,
    ]

    /// Reads the parameters of a specification.
    ///
    /// - Throws: `RequestError` for an unknown dialect, or for parameters that cannot be used.
    static func parameters(of dialect: DialectSpec) throws(RequestError) -> any DialectParameters {
        guard let type = all.first(where: { $0.dialect == dialect.name }) else {
            throw .invalidValue("The protocol '\(dialect.name.redactedControls)' is not known here")
        }
        return try type.init(dialect)
    }

    /// Whether the requests of a dialect are the owner's own.
    static func sendsOwnersRequests(_ name: String) -> Bool {
        all.contains { $0.dialect == name && $0.sendsOwnersRequests }
    }
}
