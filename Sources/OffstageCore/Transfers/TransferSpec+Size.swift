// SPDX-License-Identifier: Apache-2.0

/// Limits for a specification's size. The work of each attempt's request, on the engine's single thread, and the data
/// kept of it, in memory and in the store, grow with that size.
extension TransferSpec {
    package enum Limits {
        /// More header fields than any common server accepts.
        package static let headerFields = 1000
        /// Bytes of all header fields together.
        package static let headerBytes = 256 << 10
        package static let urlBytes = 64 << 10
        /// Bytes of the URLs of a file's addresses together.
        package static let mirrorBytes = 256 << 10
        /// The longest path that Linux accepts.
        package static let pathBytes = 4095
        /// Bytes of a name, a password, a label or a proxy.
        package static let textBytes = 64 << 10
        package static let submissionKeyBytes = 255
        /// The longest argument that Linux passes to a program.
        package static let commandBytes = (128 << 10) - 1
    }

    /// Refuses values that exceed the limits. Also called before each attempt, for specifications that are already in
    /// the store.
    package func checkSize() throws(RequestError) {
        try Self.checkSize(of: headers)
        try Self.check(url.unredacted, "The URL", Limits.urlBytes)
        let addresses = mirrors?.addresses.map(\.url.unredacted) ?? []
        for address in addresses { try Self.check(address, "The URL", Limits.urlBytes) }
        guard addresses.reduce(0, { $0 + $1.utf8.count }) <= Limits.mirrorBytes else {
            throw .invalidValue("The addresses of a file can have \(Limits.mirrorBytes) bytes: hand over fewer mirrors")
        }
        if case .form(let form) = direction { try form.checkCount() }
        for path in paths + connectionPaths { try Self.check(path, "A path", Limits.pathBytes) }  // checked: two lists
        let texts: [(String?, String)] = [
            (owner, "The owner's name"), (label, "The label"), (method, "The method"),
            (credentials?.user, "The user name"), (credentials?.password, "The password"),
            (proxy.http, "http_proxy"), (proxy.https, "https_proxy"), (proxy.all, "all_proxy"),
            (proxy.none, "no_proxy"), (sessionTask?.session, "The session's name"),
            (pinnedKey, "The server's key"), (idempotencyKey, "The idempotency key"),
            (resumePartial?.validator?.ifRange, "The resume data"),
            (resumePartial?.bootID, "The resume data"), (resumePartial?.coding, "The resume data"),
            (dialect?.name, "The dialect's name"),
            (dialect?.parameters, "The text of the dialect's parameters"), (dialect?.destination, "The destination"),
        ]
        for case (let text?, let name) in texts { try Self.check(text, name, Limits.textBytes) }
        guard keptUpload.map({ $0.bytes.count <= Limits.textBytes }) ?? true else {
            throw .invalidValue("The upload's resume data is not from this system")
        }
        if let command = completionCommand {
            try Self.check(command.command, "The completion command", Limits.commandBytes)
            try Self.check(command.workingDirectory, "A path", Limits.pathBytes)
        }
    }

    /// Refuses more header fields than a request may have.
    package static func checkSize(of headers: [HeaderField]) throws(RequestError) {
        guard headers.count <= Limits.headerFields else {
            throw .invalidValue(
                "A request can have \(Limits.headerFields) header fields, but this one has \(headers.count): hand over fewer"
            )
        }
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard bytes <= Limits.headerBytes else {
            throw .invalidValue(
                "The header fields of a request can have \(Limits.headerBytes) bytes, but these have \(bytes): hand over shorter ones"
            )
        }
    }

    private static func check(_ text: String, _ name: String, _ limit: Int) throws(RequestError) {
        let count = text.utf8.count
        guard count <= limit else {
            throw .invalidValue("\(name) can have \(limit) bytes, but this one has \(count): use a shorter one")
        }
    }
}
