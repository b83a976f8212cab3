// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Two downloads that would get the same name.
@Suite struct SameTargetTests {
    @Test(arguments: [true, false])
    func `a download to a target that another is fetching is refused before it costs anything`(
        overwrites: Bool
    ) async throws {
        let server = try FaultServer()
        let harness = try QueueHarness()
        let gate = FaultGate()
        defer { gate.open() }
        let file = FaultFile(random: 1_000_000, seed: 1)
        server.script("/slow", .file(file, holdingAfter: 50_000, until: gate))
        server.script("/other", .file(file))
        let path = harness.directory.path("one")
        let change = { (spec: inout TransferSpec) in
            spec.direction = .download(.init(path: path, overwrites: overwrites))
        }
        let first = try await harness.download(server.url("/slow"), task: 1, change)
        try harness.waitForProgress(ofTask: 1, beyond: 10_000)
        let second = try harness.end(of: try await harness.download(server.url("/other"), task: 2, change))
        guard case .failed(let failure, _)? = second.outcome else {
            Issue.record("The second download was let in: \(second.state)")
            return
        }
        #expect(failure.code == .targetExists)
        #expect(failure.detail == "transfer \(first) is already fetching \(path)")
        #expect(server.requests("/other").isEmpty)
        #expect(await harness.queue.snapshots([first]).first?.transfer.state.kind == .running)
        try await harness.queue.cancel(first)
        _ = try harness.end(of: first)
        let names = TestFiles.names(in: harness.directory.path).filter { $0.hasSuffix(".part") }
        #expect(names.isEmpty)
    }

    @Test func `a folder that has two paths is one`() async throws {
        let server = try FaultServer()
        let harness = try QueueHarness()
        let gate = FaultGate()
        defer { gate.open() }
        let file = FaultFile(random: 1_000_000, seed: 1)
        server.script("/slow", .file(file, holdingAfter: 50_000, until: gate))
        server.script("/other", .file(file))
        for name in ["real", "beside"] { try TestFiles.makeDirectory(harness.directory.path(name)) }
        try #require(symlink("real", harness.directory.path("link")) == 0)
        let to = { (path: String) in
            { (spec: inout TransferSpec) in spec.direction = .download(.init(path: harness.directory.path(path))) }
        }
        let first = try await harness.download(server.url("/slow"), task: 1, to("real/one"))
        try harness.waitForProgress(ofTask: 1, beyond: 10_000)
        let second = try harness.end(of: try await harness.download(server.url("/other"), task: 2, to("link/one")))
        guard case .failed(let failure, _)? = second.outcome else {
            Issue.record("The second download was let in: \(second.state)")
            return
        }
        #expect(failure.detail == "transfer \(first) is already fetching \(harness.directory.path("link/one"))")
        #expect(failure.rival == first)
        #expect(server.requests("/other").isEmpty)
        for (task, path) in [(3, "link/two"), (4, "beside/one")] {
            let other = try harness.end(of: try await harness.download(server.url("/other"), task: task, to(path)))
            #expect(other.outcome?.isSuccess == true, "it is another file")
        }
        try await harness.queue.cancel(first)
        _ = try harness.end(of: first)
    }

    @Test func `a command is refused at once what another is fetching`() async throws {
        let server = try FaultServer()
        let harness = try QueueHarness()
        let gate = FaultGate()
        defer { gate.open() }
        server.script(
            "/slow",
            .file(FaultFile(random: 1_000_000, seed: 1), holdingAfter: 50_000, until: gate)
        )
        let path = harness.directory.path("one")
        let first = try await harness.download(server.url("/slow"), task: 1) {
            $0.direction = .download(.init(path: path))
        }
        try harness.waitForProgress(ofTask: 1, beyond: 10_000)
        var spec = TransferSpec(
            direction: .download(.init(path: path, overwrites: true)),
            url: try RequestURL(server.url("/slow")),
            owner: AppIdentity.command
        )
        do {
            _ = try await harness.queue.submit([spec])
            Issue.record("It was taken in.")
        } catch let error as QueueError {
            #expect(error.sentence.hasPrefix("Transfer \(first) is already fetching \(path): "))
        }
        // A transfer that comes after it may have the same target.
        spec.predecessors = [first]
        let later = try #require(try await harness.queue.submit([spec]).first)
        for id in [later, first] { try await harness.queue.cancel(id) }
        _ = try harness.end(of: first)
    }
}
