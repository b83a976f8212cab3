// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCommands
import OffstageCore
import OffstagePictures
import OffstageProtocol

/// Reads the timeline page by page.
extension PageResponder {
    /// The most spans in one picture. A daemon keeps fewer.
    private static let mostSpans = 50_000

    /// Draws the timeline.
    ///
    /// - Parameters:
    ///   - seconds: how far back it reaches; a quarter as much lies in the future.
    ///   - take: receives the picture.
    func timeline(_ seconds: Double, _ take: @escaping (PageReply) -> Void) {
        let here = context.now()
        // The daemon's time may have been moved ahead.
        question(ReadTimeline(query: TimelineQuery(from: here, until: here))) { [self] result in
            switch result {
            case .failure(let error): take(Self.failure(error))
            case .success(let reply):
                let facts = TimelineFacts(from: reply.now - seconds, until: reply.now + seconds / 4, now: reply.now)
                addSpans(to: facts, after: nil, take)
            }
        }
    }

    private func addSpans(
        to facts: TimelineFacts,
        after position: TimelineQuery.Position?,
        _ take: @escaping (PageReply) -> Void
    ) {
        var query = TimelineQuery(from: facts.from, until: facts.until)
        query.after = position
        question(ReadTimeline(query: query)) { [self] result in
            switch result {
            case .failure(let error): take(Self.failure(error))
            case .success(let reply):
                var facts = facts
                facts.add(reply) { SnapshotName.original($0) ?? $0.pathParts.last ?? $0 }
                if let next = reply.next, facts.spans.count < Self.mostSpans {
                    return addSpans(to: facts, after: next, take)
                }
                facts.isCut = reply.next != nil
                addStarts(to: facts, take)
            }
        }
    }

    private func addStarts(to facts: TimelineFacts, _ take: @escaping (PageReply) -> Void) {
        question(ForecastTasks(app: nil, seconds: max(1, facts.until.timeIntervalSince(facts.now)))) { result in
            switch result {
            case .failure(let error): take(Self.failure(error))
            case .success(let reply):
                var facts = facts
                facts.starts = reply.starts
                take(Self.json(TimelineDrawing(facts)))
            }
        }
    }
}
