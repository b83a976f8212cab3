// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageDaemon
import OffstageHost
import OffstageRuntime
import OffstageSupervisor
import OffstageTestSupport
import OffstageWork

/// Everything around a daemon that outlives it: the clocks, the disk, the network with its servers, the processes of apps,
/// and the people at their shells. All of it follows from a seed.
///
/// `@unchecked Sendable`: belongs to the simulation's single thread.
package final class SimulatedWorld: @unchecked Sendable {
    let clock = VirtualClock()
    let folder: String
    let paths: OffstagePaths
    let settings: Settings
    private let servers: SimulatedServers
    private(set) lazy var network = SimulatedNetwork(self, servers)
    private(set) lazy var shell = SimulatedShell(self, servers)
    private(set) lazy var processes = SimulatedProcesses(self)
    private(set) lazy var apps = ["com.example.one", "com.example.two"].map { SimulatedApp($0, self, servers) }
    /// The current daemon.
    private(set) weak var life: DaemonLifetime?
    private var ownCounts: [String: Int] = [:]
    private var agenda: [(due: Double, body: () -> Void)] = []
    var generator: SeededGenerator
    /// Whether nothing new is started any more.
    var isEnding = false
    /// The violations found; empty for a correct world.
    package private(set) var problems: [String] = []
    /// The last lines of the daemons' log, for finding the cause of a problem.
    package private(set) var log: [String] = []

    /// - Parameters:
    ///   - folder: an empty folder for all files.
    ///   - seed: chooses what happens; for the same seed, only names that daemons draw at random differ.
    /// - Throws: if the folders cannot be created.
    package init(in folder: String, seed: UInt64) throws {
        self.folder = folder
        generator = SeededGenerator(seed: seed)
        servers = SimulatedServers()
        paths = try OffstagePaths(environment: ["OFFSTAGE_HOME": folder + "/home"])
        var settings = Settings()
        settings.keepFinishedCount = 60
        self.settings = settings
        for path in [paths.store, paths.log, paths.socket].map(DaemonFolders.folder)
            + [paths.snapshots, paths.journals, paths.downloads, paths.resumable]
        {
            try DaemonFolders.make(path, mustSync: false)
        }
        for name in ["sources", "targets"] {
            guard mkdir(folder + "/" + name, 0o700) == 0 else { throw TestError("There is no folder \(name)") }
        }
        servers.problem = { [unowned self] in problem($0) }
        for app in apps { app.live() }
    }

    // MARK: Chance

    func chance(_ oneIn: UInt64) -> Bool { generator.next() % oneIn == 0 }
    func number(_ below: Int) -> Int { Int(generator.next() % UInt64(below)) }
    func seconds(_ most: Double) -> Double { Double(generator.next() % 1_000_000) / 1_000_000 * most }

    // MARK: Files

    /// Creates a file to upload.
    func file(_ name: String, length: Int) -> (TransferSpec.UploadSource, [UInt8]) {
        let path = "\(folder)/sources/\(name)"
        let bytes = generator.bytes(length)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        if write(descriptor, bytes, length) != length { problem("no file can be made") }
        var status = stat()
        fstat(descriptor, &status)
        let identity = FileIdentity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(length),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        )
        return (.init(path: path, identity: identity), bytes)
    }

    // MARK: What a daemon finds

    var machine: Machine {
        let random = self
        return Machine(
            networkProblem: { _ in nil },
            networkSummary: { "simulated" },
            sources: .silent,
            jitter: { random.seconds(1) },
            zone: CivilZone(time: { _ in nil }, instant: { _ in nil }),
            processes: processes,
            peers: PeerReader(
                identify: { [processes] in processes.identify($0, $1) },
                hasEnded: { [processes] in processes.isGone($0) }
            ),
            freezer: nil,
            reapAll: { [processes] in processes.reapAll() },
            reapOne: { [processes] in processes.reap($0) },
            exchange: { [network] request, _ in network.exchange(request) },
            runCommand: { _, _, _ in },
            readCommand: { _, _ in nil },
            desktopProblem: { "there is no desktop session" },
            startNotifier: { "there is no desktop session" }
        )
    }

    /// Handles the start of a daemon.
    func began(_ life: DaemonLifetime) {
        self.life = life
        network.began(life)
        shell.began(life)
        for app in apps { app.began() }
        for item in agenda { life.after(max(0, item.due - clock.elapsed)) { [self] in doWhatIsDue() } }
    }

    // MARK: Time

    /// Runs `body` after so many seconds, whichever daemon is running then.
    func after(_ seconds: Double, _ body: @escaping () -> Void) {
        agenda.append((clock.elapsed + seconds, body))
        life?.after(seconds) { [self] in doWhatIsDue() }
    }

    private func doWhatIsDue() {
        let now = clock.elapsed
        let due = agenda.filter { $0.due <= now }
        agenda.removeAll { $0.due <= now }
        for item in due { item.body() }
    }

    /// Handles the daemon's death.
    func cutOff() {
        life = nil
        network.cutOff()
        processes.cutOff()
    }

    // MARK: What is seen of it

    /// The promises that have not been fulfilled.
    var unfinished: [String] { shell.outstanding + apps.flatMap(\.outstanding) }
    var isAtRest: Bool { unfinished.isEmpty }
    var counts: [String: Int] {
        apps.reduce(into: shell.counts.merging(ownCounts) { $0 + $1 }) { $0.merge($1.counts) { $0 + $1 } }
    }

    func count(_ name: String) { ownCounts[name, default: 0] += 1 }

    func daemonSaid(_ line: String) {
        if line.contains("it has been closed") { return }
        log.append("\(clock.elapsed) \(line)")
        if log.count > 400 { log.removeFirst(200) }
    }

    func problem(_ sentence: String) {
        problems.append("\(clock.elapsed): \(sentence)")
    }

    /// Runs code that cannot fail unless the simulation itself is wrong.
    static func must<Value>(_ body: () throws -> Value) -> Value {
        do { return try body() } catch { fatalError("the simulation: \(error)") }
    }
}
