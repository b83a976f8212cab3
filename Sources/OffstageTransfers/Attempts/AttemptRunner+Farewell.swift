// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Notifies servers of cancelled uploads.
extension AttemptRunner {
    /// Lets the server of a cancelled upload forget what it has stored, if the dialect knows how.
    func bidFarewell(_ transfer: Transfer) {
        // If this machine may have lost the row, it must not end an upload that another machine continues.
        if let keeper = transfer.spec.keeper, !keepers.isAttached(keeper.fleet) { return }
        // If an app has received resume data, the upload is still wanted.
        guard transfer.spec.dialect != nil || transfer.isKeptByServer, transfer.resumeData == nil,
            transfer.dialectMemory != nil, !registry.isStopping,
            let dialect = try? Dialects.make(transfer.spec, memory: transfer.dialectMemory, now: registry.now())
        else { return }
        guard let source = dialect.farewellSource else {
            if let request = dialect.farewell { send(request, of: transfer) }
            return
        }
        registry.loop.startTask {
            let granted = await self.environment.token(source, nil, dialect.tokenPlaces, dialect.tokenOwner)
            guard case .success(let token) = granted, !self.registry.isStopping else { return }
            var dialect = dialect
            dialect.authorized(token)
            guard let request = dialect.farewell else { return }
            self.send(request, of: transfer)
        }
    }

    private func send(_ farewell: DialectRequest, of transfer: Transfer) {
        let others = lanes.otherFileSystems(of: transfer.spec.connectionPaths)
        engine?.start([EngineRequest(farewell: farewell, of: transfer, fileSystems: others)])
    }
}
