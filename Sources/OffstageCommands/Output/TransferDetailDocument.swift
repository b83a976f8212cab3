// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// Everything about a transfer in `--json` output (docs/json.md): a transfer's own keys and more.
package struct TransferDetailDocument: Encodable, Sendable {
    struct Header: Encodable, Sendable {
        let name: String
        let value: String
    }

    struct Attempt: Encodable, Sendable {
        let number: Int
        let startedAt: Date
        let endedAt: Date
        let fromByte: Int64
        let toByte: Int64
        let failure: String?
        let detail: String?
    }

    /// A field or a file of a form, without a field's value, which may be a secret.
    struct Part: Encodable, Sendable {
        let name: String
        let path: String?
        let fileName: String?
        let contentType: String?
        let bytes: Int64
        let isSnapshot: Bool?
    }

    /// The connections' special options, with names of files but never their contents.
    struct Connection: Encodable, Sendable {
        let acceptsAnyCertificate: Bool?
        let certificatePath: String?
        let keyPath: String?
        let netrcPath: String?
        let connectTo: [String]?
        let postsData: Bool?
        let asksForCompression: Bool?
        let hasNoUserAgent: Bool?
        let ipVersion: Int?
        let needsTLS13: Bool?
        let mostRedirects: Int?
        let retryDelay: Double?
        let connections: Int?

        init(_ options: ConnectionOptions) {
            acceptsAnyCertificate = options.acceptsAnyCertificate
            certificatePath = options.certificatePath
            keyPath = options.keyPath
            netrcPath = options.netrcPath
            connectTo = options.connectTo
            postsData = options.postsData
            asksForCompression = options.asksForCompression
            hasNoUserAgent = options.hasNoUserAgent
            ipVersion = options.ipVersion
            needsTLS13 = options.needsTLS13
            mostRedirects = options.mostRedirects
            retryDelay = options.retryDelay
            connections = options.connections
        }
    }

    private let row: TransferDocument
    private let detail: TransferDetail

    package init(_ detail: TransferDetail) {
        self.detail = detail
        row = TransferDocument(detail.row)
    }

    private enum CodingKeys: String, CodingKey {
        case method, headers, checksum, isSnapshot, idleTimeout, overallTimeout, rateLimit, retries, history
        case answerHeaders, bodyStart, partialPath, parts, options
        case addresses, revealedURL, proxy, needs, connection, completionStatus, notify
    }

    package func encode(to encoder: any Encoder) throws {
        try row.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(detail.method, forKey: .method)
        try container.encode(detail.headers.map { Header(name: $0.name, value: $0.value) }, forKey: .headers)
        try container.encodeIfPresent(detail.checksum, forKey: .checksum)
        try container.encode(detail.isSnapshot, forKey: .isSnapshot)
        try container.encode(detail.idleTimeout, forKey: .idleTimeout)
        try container.encode(detail.overallTimeout, forKey: .overallTimeout)
        try container.encodeIfPresent(detail.rateLimit, forKey: .rateLimit)
        try container.encode(detail.retries, forKey: .retries)
        try container.encode(
            detail.history.map { record in
                Attempt(
                    number: record.number,
                    startedAt: record.startedAt,
                    endedAt: record.endedAt,
                    fromByte: record.fromByte,
                    toByte: record.toByte,
                    failure: record.failure?.code.rawValue,
                    detail: record.failure?.detail
                )
            },
            forKey: .history
        )
        try container.encode(
            detail.answerHeaders.map { Header(name: $0.name, value: $0.value) },
            forKey: .answerHeaders
        )
        try container.encode(String(decoding: detail.bodyStart.bytes, as: UTF8.self), forKey: .bodyStart)
        try container.encodeIfPresent(detail.partialPath, forKey: .partialPath)
        try container.encodeIfPresent(detail.options, forKey: .options)
        try container.encodeIfPresent(detail.addresses, forKey: .addresses)
        try container.encodeIfPresent(detail.url, forKey: .revealedURL)
        try container.encodeIfPresent(detail.proxy, forKey: .proxy)
        try container.encodeIfPresent(detail.needs, forKey: .needs)
        try container.encodeIfPresent(detail.connectionOptions.map(Connection.init), forKey: .connection)
        try container.encodeIfPresent(detail.completionStatus, forKey: .completionStatus)
        try container.encodeIfPresent(detail.notify, forKey: .notify)
        let parts = detail.formParts?.map { part in
            Part(
                name: part.name,
                path: part.path,
                fileName: part.fileName,
                contentType: part.contentType,
                bytes: part.size,
                isSnapshot: part.path == nil ? nil : part.isSnapshot
            )
        }
        try container.encodeIfPresent(parts, forKey: .parts)
    }
}
