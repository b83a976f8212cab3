// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension EngineRequest {
    /// No attempt has this number, so the outcome of a farewell changes nothing.
    private static let attemptOfFarewell = -1

    /// The request that has a server forget a cancelled upload.
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
