// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore

/// Queries `offstage-fleet`, a few times at once, each limited in time and size. Belongs to the loop's thread.
package final class FleetAsker {
    private let environment: [String: String]
    private let patience: Double
    private let limit: Int
    private var runs: [FleetRun] = []

    /// - Parameters:
    ///   - environment: the program's environment, which may also specify its location.
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

    /// Asks a question.
    ///
    /// - Parameters:
    ///   - question: the question.
    ///   - take: receives the answer, immediately or later; called once.
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

    /// The descriptors to poll.
    package var descriptors: [Int32] { runs.flatMap(\.descriptors) }

    /// When to check again at the latest; nil if no question is pending.
    package var due: Double? { runs.map(\.due).min() }

    /// Processes the output received so far.
    package func turn() {
        guard !runs.isEmpty else { return }
        let now = PageClock.now
        for run in runs { run.turn(now: now) }
        runs.removeAll(where: \.isOver)
    }

    /// Ends all runs.
    package func stop() { for run in runs { run.stop(.killed) } }
}
