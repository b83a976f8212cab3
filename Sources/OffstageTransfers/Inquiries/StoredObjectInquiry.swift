// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Chooses the inquiry to the server of a completed transfer about the file that it has now.
package enum StoredObjectInquiry {
    /// Why a server cannot be asked.
    package struct Refusal: Error, Equatable {
        package let sentence: String
    }

    /// The inquiry; `StoredObject(_:of:)` reads its answer.
    ///
    /// - Throws: `Refusal`.
    package static func about(_ transfer: Transfer) throws(Refusal) -> any ServerInquiry {
        let spec = transfer.spec
        let way = TokenRequest.Way(spec.proxy, certificateAuthorityPath: spec.certificateAuthorityPath)
        guard let evidence = Dialects.evidence(of: spec) else { return try atURL(transfer) }
        do throws(RequestError) { return try evidence.inquiry(about: transfer, by: way) } catch {
            throw Refusal(sentence: error.sentence)
        }
    }

    /// The inquiry about the transfer's URL, where the file is if it was put there, or came from there.
    private static func atURL(_ transfer: Transfer) throws(Refusal) -> any ServerInquiry {
        // A mirror does not get fields intended for the first address of a download.
        let spec = transfer.spec.asSent
        if case .form = spec.direction {
            throw Refusal(
                sentence:
                    "It sent a form: what the server made of it is not at the form's URL, and cannot be checked."
            )
        }
        guard spec.method == (spec.isUpload ? "PUT" : "GET") else {
            let words = spec.isUpload ? "was sent with \(spec.method)" : "came as the answer to \(spec.method)"
            throw Refusal(sentence: "The file \(words): it is not kept at that URL, and cannot be checked.")
        }
        // After a 303 the file was not sent again: the redirect leads to a page about the upload.
        let answer = transfer.outcome?.answer
        let wasLed = answer?.redirectCount ?? 0 > 0 && answer?.wasFetched != true
        return AddressInquiry(spec, at: spec.url, followsRedirects: !spec.isUpload || wasLed)
    }
}
