// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore

/// Asks `offstage-fleet`, a few at a time, each within a bound of time and of bytes. Belongs to the thread of the loop.
package final class FleetAsker {
    private let environment: [String: String]
    private let patience: Double
    private let limit: Int
    private var runs: [FleetRun] = []

    /// - Parameters:
    ///   - environment: of the program; it may say where that is.
    ///   - patience: seconds for an answer.
    ///   - limit: the most bytes of an answer.
    package init(
        _ environment: [String: String],
        patience: Double = PageBounds.fleetPatience,
        limit: Int = PageBounds.fleetAnswer
    ) {
        self.environment = environment
        self.patience = patience
        self.limit = limit
    }

    /// Asks.
    ///
    /// - Parameters:
    ///   - question: what is asked.
    ///   - take: receives the answer, later or at once, and once.
    package func ask(_ question: FleetQuestion, _ take: @escaping (PageReply) -> Void) {
        guard runs.count < PageBounds.fleetRuns else { return take(PageReply(.busy)) }
        do throws(CommandFailure) {
            let program = try FleetProgram.path(environment)
            let run = FleetRun(program, question.words, environment, limit: limit, patience: patience) {
                take($0.reply)
            }
            guard let run else {
                throw CommandFailure(
                    "\(program.redactedControls) cannot be started (\(String(cString: strerror(errno)))): check it."
                )
            }
            runs.append(run)
        } catch {
            take(FleetRunEnd.absent(error.sentences.joined(separator: " ")).reply)
        }
    }

    /// What to wait for.
    package var descriptors: [Int32] { runs.flatMap(\.descriptors) }

    /// When to look again in any case; nil while nothing is asked.
    package var due: Double? { runs.map(\.due).min() }

    /// Takes what has come.
    package func turn() {
        guard !runs.isEmpty else { return }
        let now = PageClock.now
        for run in runs { run.turn(now: now) }
        runs.removeAll(where: \.isOver)
    }

    /// Ends all that is under way.
    package func stop() { for run in runs { run.stop(.killed) } }
}
