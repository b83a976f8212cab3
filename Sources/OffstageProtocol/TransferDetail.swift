// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What `show` prints of one transfer: no secrets, unless a person has asked for them.
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
    /// Where what has arrived of a download is kept until it is whole.
    package var partialPath: String?
    /// The first fields and files of a form, in order: at most `mostFormParts`, so that many forms fit a frame.
    package var formParts: [FormPart]?

    /// What the owner of an upload in a dialect decided besides its place, such as "overwrite, autorename".
    package var options: String?

    /// The whole URL, where it was asked for.
    package var url: String?

    /// Host and port of the proxy that its requests go to; nil for none, and for a host that is exempt.
    package var proxy: String?

    /// What its connections have besides the usual, in words; nil for nothing.
    package var connection: [String]?

    /// What the machine must be like for it to move; nil for nothing in particular.
    package var needs: TransferNeeds?

    /// Whether the answer may still name a download's file otherwise; nil for no.
    package var awaitsName: Bool?

    /// The same for programs; nil, as of an older daemon, for nothing.
    package var connectionOptions: ConnectionOptions?

    /// With which status the completion command failed; nil for none, or for one that did not fail.
    package var completionStatus: Int?

    package static let mostFormParts = 100

    /// - Parameters:
    ///   - transfer: what is shown.
    ///   - row: what a list shows of it.
    ///   - partialPath: where a download is kept meanwhile.
    ///   - options: see `options`.
    ///   - reveals: whether secrets are shown, but for passwords and the values of a form's fields.
    package init(
        transfer: Transfer,
        row: TransferRow,
        partialPath: String?,
        options: String? = nil,
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
        retries = transfer.retries
        history = transfer.history
        completionStatus = transfer.completionStatus
        let answer = transfer.outcome?.answer
        answerHeaders = answer?.headers ?? []
        bodyStart = Base64Bytes(bytes: answer?.bodyStart ?? [])
        self.partialPath = partialPath
        connection = transfer.spec.connection?.summary
        needs = transfer.spec.needs.isEmpty ? nil : transfer.spec.needs
        connectionOptions = transfer.spec.connection
        proxy = transfer.spec.proxy.proxy(for: transfer.spec.url).flatMap(ProxyAddress.init)?.hostKey
        self.options = options
        if case .form(let form) = transfer.spec.direction {
            formParts = form.parts.prefix(Self.mostFormParts).map(FormPart.init)
        }
        if !reveals { strikeSecrets(of: transfer.spec) }
    }

    /// Takes what was sent as a secret out of what a server said: one that repeats its request would have all of it here.
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
