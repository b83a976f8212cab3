// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The details of one transfer for `show`: no secrets, unless a person has requested them.
package struct TransferDetail: Codable, Sendable, Equatable {
    package var row: TransferRow
    package var method: String
    package var headers: [HeaderField]
    package var checksum: String?
    package var isSnapshot: Bool
    package var idleTimeout: Double
    package var overallTimeout: Double
    @WithinIfPresent<ByteCounts> package var rateLimit: Int64?
    package var retries: Int
    package var history: [AttemptRecord]
    package var answerHeaders: [HeaderField]
    /// The beginning of an upload's response body, or of an error's.
    package var bodyStart: Base64Bytes
    /// The path of a download's partial file.
    package var partialPath: String?
    /// The first fields and files of a form, in order: at most `mostFormParts`, so that many forms fit a frame.
    package var formParts: [FormPart]?

    /// An upload's options in its dialect other than the destination, such as "overwrite, autorename".
    package var options: String?

    /// The whole URL, if requested.
    package var url: String?

    /// Host and port of its proxy; nil for none, and for an exempt host.
    package var proxy: String?

    /// The special options of its connections, in words; nil for none.
    package var connection: [String]?

    /// The conditions that the transfer needs; nil for none.
    package var needs: TransferNeeds?

    /// Whether the response may still change the name of a download's file; nil for no.
    package var awaitsName: Bool?

    /// The same options for programs; nil, as from an older daemon, for none.
    package var connectionOptions: ConnectionOptions?

    /// The status with which the completion command failed; nil if there is no command, or it did not fail.
    package var completionStatus: Int?

    /// The receipt of a completed transfer; nil before completion, and from an older daemon.
    package var receipt: TransferReceipt?

    /// The addresses of a download's file, in order; nil if there is only the URL.
    package var addresses: [AddressDetail]?

    /// Whether a person is notified on the desktop, overriding the settings; nil to follow the settings.
    package var notify: Bool?

    package static let mostFormParts = 100

    /// - Parameters:
    ///   - transfer: the transfer to show.
    ///   - row: its row in a list.
    ///   - partialPath: the path of a download's partial file.
    ///   - options: see `options`.
    ///   - receipt: see `receipt`.
    ///   - reveals: whether to show secrets, except passwords and the values of a form's fields.
    package init(
        transfer: Transfer,
        row: TransferRow,
        partialPath: String?,
        options: String? = nil,
        receipt: TransferReceipt? = nil,
        reveals: Bool = false
    ) {
        self.row = row
        method = transfer.spec.method
        headers = reveals ? transfer.spec.headers : transfer.spec.headers.map(\.shown)
        if reveals { url = transfer.spec.url.unredacted }
        if case .download(let target) = transfer.spec.direction {
            checksum = target.checksum?.description
            if target.remoteName == .wanted { awaitsName = true }
        }
        isSnapshot = transfer.spec.sources.contains(where: \.isSnapshot)
        idleTimeout = transfer.spec.idleTimeout
        overallTimeout = transfer.spec.overallTimeout
        rateLimit = transfer.spec.rateLimit
        retries = transfer.past.retries
        history = transfer.history
        completionStatus = transfer.completionStatus
        notify = transfer.spec.notify
        let answer = transfer.outcome?.answer
        answerHeaders = answer?.headers ?? []
        bodyStart = Base64Bytes(bytes: answer?.bodyStart ?? [])
        self.partialPath = partialPath
        connection = transfer.spec.connection?.summary
        needs = transfer.spec.needs.isEmpty ? nil : transfer.spec.needs
        connectionOptions = transfer.spec.connection
        proxy = transfer.spec.proxy.proxy(for: transfer.spec.url).flatMap(ProxyAddress.init)?.hostKey
        self.options = options
        self.receipt = receipt
        addresses = transfer.spec.mirrors.flatMap { AddressDetail.all(of: $0, reveals: reveals) }
        if case .form(let form) = transfer.spec.direction {
            formParts = form.parts.prefix(Self.mostFormParts).map(FormPart.init)
        }
        if !reveals { strikeSecrets(of: transfer.spec) }
    }

    /// Removes sent secrets from a server's response, which may repeat the request.
    private mutating func strikeSecrets(of spec: TransferSpec) {
        let redactor = spec.secretRedactor
        answerHeaders = answerHeaders.map { field in
            var field = field.shown
            field.name = redactor.strike(field.name)
            if field.value != HeaderField.hidden { field.value = redactor.strike(field.value) }
            return field
        }
        bodyStart.bytes = redactor.strike(bodyStart.bytes, isCut: true)
    }
}
