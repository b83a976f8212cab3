// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension EngineRequest {
    /// No attempt has this number, so the outcome of a farewell changes nothing.
    private static let attemptOfFarewell = -1

    /// The request that makes a server forget a cancelled upload.
    ///
    /// - Parameters:
    ///   - request: the dialect's request.
    ///   - transfer: the cancelled upload.
    ///   - fileSystems: the file systems of the files that it reads, except the daemon's own.
    init(farewell request: DialectRequest, of transfer: Transfer, fileSystems: [UInt64]) {
        self.init(
            id: transfer.id,
            attempt: Self.attemptOfFarewell,
            spec: transfer.spec.of(request),
            fileDescriptor: -1,
            filePath: transfer.spec.path
        )
        self.fileSystems = fileSystems
        body = request.body
        countsBody = false
        checksSourceAfterwards = false
        takesRedirectAsAnswer = true
        sendsBodyAgain = false
        expectsGoAhead = false
    }
}
