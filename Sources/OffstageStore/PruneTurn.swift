// SPDX-License-Identifier: Apache-2.0

/// Whether the writer's thread prunes or commits next. Callers that wait for a commit go first, but not indefinitely:
/// the records would grow beyond the limit.
package struct PruneTurn<Request: Sendable>: Sendable {
    /// Prune requests, which wait until no caller waits for a commit.
    private var prunes: [Request] = []
    private var batches = 0

    /// The number of commit batches that go first. One prune deletes about as many records as this many batches add.
    package static var patience: Int { 8 }

    package init() {}

    /// Whether pruning waits.
    package var isEmpty: Bool { prunes.isEmpty }

    /// Adds the requests that have arrived, if any.
    ///
    /// - requests: the requests of one batch, in order.
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
