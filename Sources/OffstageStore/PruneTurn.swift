// SPDX-License-Identifier: Apache-2.0

/// Whose turn it is on the writer's thread, once something is to be forgotten: that of whoever waits for a commit, but not
/// for ever, or records would grow beyond what is to be kept.
package struct PruneTurn<Request: Sendable>: Sendable {
    /// What is to be forgotten waits here for a moment at which nobody waits for a commit.
    private var prunes: [Request] = []
    private var batches = 0

    /// So many batches of commits go first. A piece is then about as many records as so many batches have made.
    package static var patience: Int { 8 }

    package init() {}

    /// Whether something is to be forgotten.
    package var isEmpty: Bool { prunes.isEmpty }

    /// Takes what has come, or that nothing has.
    ///
    /// - Parameters:
    ///   - requests: of one batch, in order.
    ///   - isPrune: whether one is about what is to be forgotten.
    /// - Returns: the commits, which go first, and one piece to be forgotten if it is its turn.
    package mutating func take(
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

    /// Takes out what still waits.
    package mutating func removeAll() -> [Request] {
        defer { prunes = [] }
        return prunes
    }
}
