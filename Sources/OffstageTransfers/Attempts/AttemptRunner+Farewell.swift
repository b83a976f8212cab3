// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What servers are told of uploads that were cancelled.
extension AttemptRunner {
    /// Lets the server of a cancelled upload forget what it has stored, if the dialect knows how.
    func bidFarewell(_ transfer: Transfer) {
        // What an app has been given resume data for is still wanted.
        guard transfer.spec.dialect != nil || transfer.isKeptByServer, transfer.resumeData == nil,
            transfer.dialectMemory != nil, !registry.isStopping,
            let dialect = try? Dialects.make(transfer.spec, memory: transfer.dialectMemory, now: registry.now())
        else { return }
        guard let source = dialect.farewellSource else {
            if let request = dialect.farewell { bid(request, of: transfer) }
            return
        }
        registry.loop.startTask {
            let granted = await self.environment.token(source, nil, dialect.tokenPlaces, dialect.tokenOwner)
            guard case .success(let token) = granted, !self.registry.isStopping else { return }
            var dialect = dialect
            dialect.authorized(token)
            if let request = dialect.farewell { self.bid(request, of: transfer) }
        }
    }

    private func bid(_ request: DialectRequest, of transfer: Transfer) {
        var order = EngineRequest(
            id: transfer.id,
            attempt: Self.attemptOfFarewell,
            spec: Self.spec(of: request, transfer.spec, isAside: false),
            fileDescriptor: -1,
            filePath: transfer.spec.path
        )
        order.body = request.body
        order.countsBody = false
        order.checksSourceAfterwards = false
        order.takesRedirectAsAnswer = true
        order.sendsBodyAgain = false
        order.expectsGoAhead = false
        engine?.start([order])
    }

    /// No attempt has this number, so that what comes of a farewell changes nothing.
    private static let attemptOfFarewell = -1
}
