// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The secret parts of the URLs of uploads that a server keeps: anyone who knows such a URL may be able to change the
/// upload, and a server may repeat it in any answer.
struct UploadSecrets: Sendable {
    /// The URL at which uploads are created: the parts that it shares with their URLs are not secret.
    private let creation: RequestURL
    /// The uploads of this attempt, including those given up.
    private var uploads: [RequestURL] = []

    init(besides creation: RequestURL, _ upload: KeptUpload?) {
        self.creation = creation
        add(upload)
    }

    mutating func add(_ upload: KeptUpload?) {
        if let upload, !uploads.contains(upload.url) { uploads.append(upload.url) }
    }

    private func redactor(and token: String?) -> SecretRedactor {
        var redactor = SecretRedactor()
        for upload in uploads { redactor.add(url: upload, besides: creation) }
        if let token { redactor.add(token) }
        return redactor
    }

    /// The answer as people may see it. Read the protocol's values before this: a number may look like a part of a URL.
    ///
    /// - Parameters:
    ///   - answer: the server's answer.
    ///   - token: the token that the request carried; nil for none.
    /// - Returns: the answer without these secrets.
    func hide(_ answer: Answer, and token: String? = nil) -> Answer { answer.hiding(redactor(and: token)) }

    /// A text from the server as people may see it.
    func hide(_ text: String) -> String { redactor(and: nil).strike(text) }
}
