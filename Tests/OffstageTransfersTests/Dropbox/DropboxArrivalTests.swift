// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageCore
import OffstageTestSupport
import Testing

extension `Uploads to Dropbox` {
    /// Files of all sizes, from the queue to the emulator over sockets.
    struct DropboxArrivalTests {
        @Test(arguments: [0, 5, 4 << 20, (4 << 20) + 1, (12 << 20) + 3, 16 << 20])
        func `a file arrives once and whole`(count: Int) async throws {
            let stage = try await DropboxStage()
            let path = try stage.makeFile(count)
            let id = try await stage.upload(path)
            let end = try stage.log.end(of: id)
            #expect(end.outcome?.isSuccess == true, "\(end.state)")
            #expect(end.bytesDone == Int64(count))
            try stage.expectCommitted(path)
            #expect(stage.emulator.record.bytesReceivedTwice == 0)
            let chunks = (count + (4 << 20) - 1) / (4 << 20)
            #expect(stage.emulator.record.calls(.append) == max(0, chunks - 1))
            #expect(stage.emulator.record.calls(.upload) == (count <= 4 << 20 ? 1 : 0))
            try stage.waitUntilClosed(path)
        }

        @Test func `chunks of the usual size grow while they are quick`() async throws {
            let stage = try await DropboxStage()
            let path = try stage.makeFile(60 << 20)
            let id = try await stage.upload(path) { $0.largestChunk = nil }
            #expect(try stage.log.end(of: id).outcome?.isSuccess == true)
            try stage.expectCommitted(path)
            #expect(stage.seen.compactMap(\.offset) == [0, 8 << 20, 40 << 20])
        }

        @Test(arguments: [EmulatorRoute.append, .finish])
        func `what has arrived before a connection broke is not sent again`(route: EmulatorRoute) async throws {
            for fault in [DropboxFault.lostAfter, .cut(at: 1 << 20, keep: true), .cut(at: (1 << 20) + 5, keep: true)] {
                let stage = try await DropboxStage()
                stage.emulator.setFaults([.init(fault, on: route, .call(1))])
                let path = try stage.makeFile(11 << 20)
                let id = try await stage.upload(path)
                let end = try stage.log.end(of: id)
                #expect(end.outcome?.isSuccess == true, "\(end.state)")
                try stage.expectCommitted(path)
                #expect(stage.emulator.record.bytesReceivedTwice == 0, "\(fault)")
            }
        }

        @Test func `what is told never goes beyond the file, and ends with all of it`() async throws {
            let stage = try await DropboxStage()
            stage.emulator.setFaults([
                .init(.lostBefore, on: .append, .call(1)), .init(.lostAfter, on: .append, .call(3)),
                .init(.incorrectOffsetBy(0), on: .append, .call(4)), .init(.lostBefore, on: .finish, .call(1)),
            ])
            let path = try stage.makeFile(18 << 20)
            let id = try await stage.upload(path)
            let end = try stage.log.end(of: id)
            #expect(end.outcome?.isSuccess == true, "\(end.state)")
            try stage.expectCommitted(path)
            let told = stage.log.bytes
            #expect(told.allSatisfy { (0...(18 << 20)).contains($0) })
            #expect(told.last == 18 << 20)
        }

        @Test func `what a request depends on is in the store's file before the server sees it`() async throws {
            let stage = try await DropboxStage(commitDelay: 0.03, looksAtStore: true)
            stage.emulator.setFaults([
                .init(.incorrectOffsetBy(0), on: .append, .call(2)), .init(.lostAfter, on: .append, .call(3)),
                .init(.sessionLost, on: .append, .call(5)),
            ])
            let path = try stage.makeFile(14 << 20)
            let id = try await stage.upload(path)
            #expect(try stage.log.end(of: id).outcome?.isSuccess == true)
            try stage.expectCommitted(path)
            let inSessions = stage.seen.filter { $0.route == .append || $0.route == .finish }
            #expect(inSessions.count > 5)
            for call in inSessions {
                let offset = try #require(call.offset)
                let stored = try #require(call.stored, "\(call)")
                #expect(stored.acknowledged == offset, "\(call)")
                #expect(stored.sent >= min(14 << 20, offset + DropboxStage.chunk), "\(call)")
                #expect(stored.stage == (call.route == .finish ? "committing" : "filling"), "\(call)")
            }
        }
    }
}
