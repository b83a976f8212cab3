// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol

/// A person at a shell who hands over uploads and downloads, looks at them, and remembers the promises.
///
/// Belongs to the simulation's single thread.
final class SimulatedShell {
    /// The purpose of a transfer.
    private enum Purpose {
        case upload(url: String, bytes: [UInt8])
        case download(url: String, path: String)
        case dropbox(path: String, bytes: [UInt8])
    }

    /// A transfer to which the daemon has given a number.
    private struct Promise {
        var purpose: Purpose
        var isCancelled = false
    }

    private let world: SimulatedWorld
    private let servers: SimulatedServers
    private var client: SimulatedClient?
    private var promises: [TransferID: Promise] = [:]
    private var nextFile = 1
    private var hasAccount = false
    private(set) var counts: [String: Int] = [:]
    private static let process: Int32 = 5_000_001
    private static let most = 12

    init(_ world: SimulatedWorld, _ servers: SimulatedServers) {
        self.world = world
        self.servers = servers
    }

    /// The promises that are still open.
    var outstanding: [String] { promises.keys.sorted().map { "transfer \($0.rawValue)" } }

    func began(_ life: DaemonLifetime) {
        client = SimulatedClient(life, process: Self.process)
        var machine = PretendedConditions()
        machine.network = .unmetered
        machine.hasExternalPower = true
        machine.isBusy = false
        machine.isDiskFull = false
        client?.ask(PretendConditions(pretended: machine)) { _, _ in }
        if hasAccount { look(life) } else { signIn(life) }
        if world.isEnding { resumeAll(life) } else { handOverSoon(life) }
    }

    // MARK: The account

    private func signIn(_ life: DaemonLifetime) {
        let verifier = String(repeating: "v", count: 43)
        let account = SimulatedWorld.must {
            Account(
                name: "dropbox",
                appKey: "app-key",
                endpoints: try DropboxEndpoints(below: SimulatedServers.dropbox),
                addedAt: Date(timeIntervalSince1970: world.clock.wall)
            )
        }
        let code = servers.signInCode(verifier: verifier, now: world.clock.wall)
        let request = AddAccount(account: account, code: code, verifier: verifier, redirectURI: nil)
        client?.ask(request) { [self] answer, _ in
            if case .success = answer { hasAccount = true }
            look(life)
        }
    }

    // MARK: Handing over

    private func handOverSoon(_ life: DaemonLifetime) {
        life.after(world.seconds(8)) { [self] in
            if promises.count < Self.most { handOver() }
            if world.chance(6) { act() }
            if !world.isEnding { handOverSoon(life) }
        }
    }

    private func handOver() {
        let all = (0..<(1 + world.number(3))).map { _ in make() }
        client?.ask(SubmitTransfers(specs: all.map(\.spec))) { [self] answer, _ in
            switch answer {
            case .success(let reply):
                for (id, one) in zip(reply.ids, all) {
                    if promises[id] != nil { world.problem("the number \(id.rawValue) was given twice") }
                    promises[id] = Promise(purpose: one.purpose)
                    counts["handed over", default: 0] += 1
                }
            case .failure(let failure): world.problem("a transfer was refused: \(failure.message)")
            }
        }
    }

    private func make() -> (spec: TransferSpec, purpose: Purpose) {
        let number = nextFile
        nextFile += 1
        switch world.number(hasAccount ? 5 : 3) {
        case 0:
            let length = world.chance(40) ? (5 << 18) + world.number(100_000) : world.number(5000)
            let url = "\(SimulatedServers.downloads)\(length)-\(number)"
            let path = "\(world.folder)/targets/\(number)"
            return (spec(.download(.init(path: path)), url, "GET"), .download(url: url, path: path))
        case 1, 2:
            let url = "\(SimulatedServers.uploads)\(number)"
            let (source, bytes) = world.file("\(number)", length: world.number(5000))
            return (spec(.upload(source), url, "PUT"), .upload(url: url, bytes: bytes))
        default:
            let path = "/folder/\(number)"
            let (source, bytes) = world.file("\(number)", length: world.chance(60) ? (9 << 20) : world.number(5000))
            return SimulatedWorld.must {
                var parameters = DropboxParameters(
                    account: "dropbox",
                    path: path,
                    endpoints: try DropboxEndpoints(below: SimulatedServers.dropbox)
                )
                parameters.largestChunk = 4 << 20
                var spec = spec(.upload(source), try parameters.url().unredacted, "POST")
                spec.dialect = try parameters.dialectSpec()
                return (spec, .dropbox(path: path, bytes: bytes))
            }
        }
    }

    private func spec(_ direction: TransferSpec.Direction, _ url: String, _ method: String) -> TransferSpec {
        var spec = TransferSpec(
            direction: direction,
            url: SimulatedWorld.must { try RequestURL(url) },
            method: method,
            owner: "command"
        )
        spec.statusPolicy = .retryTransientAndFailOnError
        return spec
    }

    /// In the end, nothing stays paused.
    private func resumeAll(_ life: DaemonLifetime) {
        client?.ask(ActOnTransfers(verb: .resume, selection: .all)) { _, _ in }
        life.after(60) { [self] in resumeAll(life) }
    }

    // MARK: Looking

    private func look(_ life: DaemonLifetime) {
        let ids = promises.keys.sorted()
        guard !ids.isEmpty else { return life.after(2) { [self] in look(life) } }
        client?.ask(ShowTransfers(ids: ids)) { [self] answer, _ in
            switch answer {
            case .success(let reply):
                if reply.details.count != ids.count { world.problem("not all of \(ids) are there") }
                for detail in reply.details where detail.row.kind == .finished { ended(detail) }
            case .failure(let failure): world.problem("what was handed over is lost: \(failure.message)")
            }
            life.after(world.isEnding ? 60 : 5) { [self] in look(life) }
        }
    }

    private func act() {
        guard let id = promises.keys.sorted().randomElement(using: &world.generator) else { return }
        let verb: ActOnTransfers.Verb = world.chance(3) ? .cancel : world.chance(2) ? .pause : .resume
        // It may take effect although its answer is lost.
        if verb == .cancel { promises[id]?.isCancelled = true }
        client?.ask(ActOnTransfers(verb: verb, selection: .ids([id]))) { _, _ in }
    }

    /// Handles the end of a transfer: its purpose must have been fulfilled, exactly once.
    private func ended(_ detail: TransferDetail) {
        guard let promise = promises.removeValue(forKey: detail.row.id) else { return }
        let (id, sentence) = (detail.row.id.rawValue, detail.row.reason.summary)
        let isComplete = detail.row.status.map { (200..<300).contains($0) } ?? false
        counts[isComplete ? "completed" : "ended otherwise", default: 0] += 1
        switch promise.purpose {
        case .upload(let url, let bytes):
            unlink(detail.row.path)
            if isComplete, servers.received[url]?.bytes != bytes { world.problem("upload \(id) has not arrived") }
        case .download(let url, let path):
            if isComplete {
                let found = FileManager.default.contents(atPath: path).map(Array.init)
                if found != SimulatedServers.content(of: url) { world.problem("download \(id) is not the file") }
            }
            unlink(path)
        case .dropbox(let path, let bytes):
            unlink(detail.row.path)
            if isComplete, servers.emulator.file(path)?.size != Int64(bytes.count) {
                world.problem("\(path) is not at Dropbox")
            }
            let (commits, files) = (servers.emulator.record.commits, servers.emulator.files().count)
            if commits != files { world.problem("\(files) files were committed \(commits) times") }
            if isComplete { counts["committed at Dropbox", default: 0] += 1 }
        }
        // A transfer that is cancelled too late is complete; otherwise no transfer may end without fulfilling its
        // purpose.
        if !isComplete, !promise.isCancelled { world.problem("transfer \(id) has ended: \(sentence)") }
    }
}
