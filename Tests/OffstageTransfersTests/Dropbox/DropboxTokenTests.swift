// SPDX-License-Identifier: Apache-2.0
import AccountTestSupport
import DropboxEmulator
import OffstageCore
import OffstageTestSupport
import Testing

extension `Uploads to Dropbox` {
    /// Faults during the renewal of a token, with the daemon's own accounts between the queue and the emulator.
    struct DropboxTokenTests {
        /// Faults that may be temporary; those that need a new sign-in are tested with accounts.
        private static let faults = DropboxFaultTests.faults.filter { _, fault in
            switch fault {
            case .incorrectOffset, .incorrectOffsetBy, .sessionLost, .sessionClosed, .unauthorized, .error: false
            // A cut of a form of about a hundred bytes.
            case .cut(let position, _): position < 2
            default: true
            }
        }

        @Test(arguments: [EmulatorRoute.start, .append, .finish])
        func `a fault while a token is renewed does not harm a file`(route: EmulatorRoute) async throws {
            let accounts = try AccountHarness()
            let stage = try await DropboxStage(accounts: accounts)
            try await accounts.signIn(to: stage.emulator)
            let path = try stage.makeFile(9 << 20)
            let hash = try DropboxStage.contentHash(path)
            #expect(Self.faults.count > 10)
            for (index, (name, fault)) in Self.faults.enumerated() {
                stage.emulator.setFaults([
                    .init(.unauthorized("expired_access_token"), on: route, .call(1)),
                    .init(fault, on: .token, .call(1)),
                ])
                let id = try await stage.upload(path) { $0.path = "/file-\(index)" }
                let end = try stage.log.end(of: id)
                #expect(end.outcome?.isSuccess == true, "\(name): \(end.state)")
                #expect(stage.emulator.faultsUsed == 2, "\(name)")
                #expect(stage.emulator.file("/file-\(index)")?.contentHash == hash, "\(name)")
                #expect(stage.emulator.record.commits == index + 1, "\(name)")
                // Every file uses its own session, except if the call that started it was repeated.
                #expect(stage.emulator.record.answers(.start, 200) == index + 1, "\(name)")
            }
        }
    }
}
