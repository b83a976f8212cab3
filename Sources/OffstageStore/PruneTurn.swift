// SPDX-License-Identifier: Apache-2.0

/// Whether the writer's thread prunes or commits next. Those who wait for a commit go first, but not for ever, or
/// records would grow beyond the limit.
package struct PruneTurn<Request: Sendable>: Sendable {
    /// Pruning waits here until nobody waits for a commit.
    private var prunes: [Request] = []
    private var batches = 0

    /// Batches of commits that go first. A piece has about as many records as so many batches have made.
    package static var patience: Int { 8 }

    package init() {}

    /// Whether pruning waits.
    package var isEmpty: Bool { prunes.isEmpty }

    /// Takes the requests that have arrived, or that none has.
    ///
    /// - Parameters:
    ///   - requests: of one batch, in order.
    ///   - isPrune: whether a request is to prune.
    /// - Returns: the commits, which go first, and one prune if it is its turn.
    package mutating func plan(
        _ requests: [Request],
        where isPrune: (Request) -> Bool
    ) -> (commits: [Request], prune: Request?) {
        prunes += requests.filter(isPrune)
        let commits = requests.filter { !isPrune($0) }
        guard !prunes.isEmpty else { return (commits, nil) }
        batches += 1  // checked: at most `patience` and one
        guard commits.isEmpty || batches > Self.patience else { return (commits, nil) }
        batches = 0
        return (commits, prunes.removeFirst())
    }

    /// Removes everything that still waits.
    package mutating func removeAll() -> [Request] {
        defer { prunes = [] }
        return prunes
    }
}
