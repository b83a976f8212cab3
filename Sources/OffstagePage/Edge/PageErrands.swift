// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Runs this program's own errands, one of a kind at a time. Belongs to the loop's thread.
final class PageErrands {
    private let environment: [String: String]
    private let startsDaemon: Bool
    private var runs: [FleetRun] = []
    /// The callers waiting for each errand under way.
    private var waiting: [PageErrand: [(PageReply) -> Void]] = [:]

    /// The running program, even if its file was renamed in the meantime.
    private static let program = "/proc/self/exe"
    /// The most processes at once: one of each kind, and those that were killed and have not ended yet.
    private static let most = 4

    /// - Parameters:
    ///   - environment: the environment of the processes.
    ///   - startsDaemon: whether this program may start a daemon.
    init(_ environment: [String: String], startsDaemon: Bool) {
        self.environment = environment
        self.startsDaemon = startsDaemon
    }

    /// Starts an errand, or joins the callers waiting for it if it is already under way.
    ///
    /// - Parameters:
    ///   - errand: the errand.
    ///   - take: receives the answer, immediately or later; called once.
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

    /// The descriptors to poll.
    var descriptors: [Int32] { runs.flatMap(\.descriptors) }

    /// When to check again at the latest; nil while nothing is under way.
    var due: Double? { runs.map(\.due).min() }

    /// Processes the output received so far.
    func turn() {
        guard !runs.isEmpty else { return }
        let now = PageClock.now
        for run in runs { run.turn(now: now) }
        runs.removeAll(where: \.isOver)
    }

    /// Ends all runs.
    func stop() { for run in runs { run.stop(.killed) } }
}
