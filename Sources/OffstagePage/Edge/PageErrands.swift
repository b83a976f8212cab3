// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Runs this program's own errands, one of a kind at a time. Belongs to the thread of the loop.
final class PageErrands {
    private let environment: [String: String]
    private let startsDaemon: Bool
    private var runs: [FleetRun] = []
    /// Who waits for what is under way.
    private var waiting: [PageErrand: [(PageReply) -> Void]] = [:]

    /// Whatever its name has become in the meantime, this is the program that runs.
    private static let program = "/proc/self/exe"
    /// Processes at once: one of a kind, and what was told to end and has not ended yet.
    private static let most = 4

    /// - Parameters:
    ///   - environment: of the processes.
    ///   - startsDaemon: whether this program may start a daemon.
    init(_ environment: [String: String], startsDaemon: Bool) {
        self.environment = environment
        self.startsDaemon = startsDaemon
    }

    /// Has something done, or waits with others for what is being done.
    ///
    /// - Parameters:
    ///   - errand: what.
    ///   - take: receives the answer, later or at once, and once.
    func ask(_ errand: PageErrand, _ take: @escaping (PageReply) -> Void) {
        if waiting[errand] != nil {
            waiting[errand]?.append(take)
            return
        }
        guard runs.count < Self.most else { return take(PageReply(.busy)) }
        waiting[errand] = [take]
        let run = FleetRun(
            Self.program,
            errand.words(startsDaemon: startsDaemon),
            environment,
            limit: PageBounds.fleetAnswer,
            patience: errand.patience
        ) { [weak self] end in self?.finish(errand, end) }
        guard let run else {
            let why = String(cString: strerror(errno))
            return finish(errand, .absent("offstage-page cannot be started once more (\(why)): try again."))
        }
        runs.append(run)
    }

    private func finish(_ errand: PageErrand, _ end: FleetRunEnd) {
        let told = waiting.removeValue(forKey: errand) ?? []
        let reply = errand.reply(to: end)
        for take in told { take(reply) }
    }

    /// What to wait for.
    var descriptors: [Int32] { runs.flatMap(\.descriptors) }

    /// When to look again in any case; nil while nothing is under way.
    var due: Double? { runs.map(\.due).min() }

    /// Takes what has come.
    func turn() {
        guard !runs.isEmpty else { return }
        let now = PageClock.now
        for run in runs { run.turn(now: now) }
        runs.removeAll(where: \.isOver)
    }

    /// Ends all that is under way.
    func stop() { for run in runs { run.stop(.killed) } }
}
