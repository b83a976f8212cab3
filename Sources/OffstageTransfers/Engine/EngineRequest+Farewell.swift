// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension EngineRequest {
    /// No attempt has this number, so that what comes of a farewell changes nothing.
    private static let attemptOfFarewell = -1

    /// The request by which a server forgets what it has of a cancelled upload.
    init(farewell request: DialectRequest, of transfer: Transfer) {
        self.init(
            id: transfer.id,
            attempt: Self.attemptOfFarewell,
            spec: transfer.spec.of(request),
            fileDescriptor: -1,
            filePath: transfer.spec.path
        )
        body = request.body
        countsBody = false
        checksSourceAfterwards = false
        takesRedirectAsAnswer = true
        sendsBodyAgain = false
        expectsGoAhead = false
    }
}
