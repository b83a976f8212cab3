// SPDX-License-Identifier: Apache-2.0

/// A server that takes files in sessions, as S3, tus and Dropbox do: each session is committed only once, and is
/// found by its name alone.
struct SimulatedUploads {
    private struct Session { var row: Int64, bytes = 0, isCommitted = false }

    static let size = 4
    private var sessions: [Int: Session] = [:]
    private var last = 0
    /// Objects made from each row.
    private(set) var objects: [Int64: Int] = [:]
    /// Chunks that arrived for each row, including those that arrived twice.
    private(set) var chunks: [Int64: Int] = [:]
    /// Requests of each row of the kind that has an effect every time.
    private(set) var posts: [Int64: Int] = [:]
    /// Commits that arrived for a session that was already committed.
    private(set) var lateCommits = 0

    mutating func makeSession(_ row: Int64) -> Int {
        last += 1
        sessions[last] = Session(row: row)
        return last
    }

    func offset(_ session: Int) -> Int { sessions[session]?.bytes ?? 0 }

    func isCommitted(_ session: Int) -> Bool { sessions[session]?.isCommitted ?? false }

    /// Takes a chunk if it is the next one.
    mutating func send(_ session: Int, chunk: Int) {
        guard let one = sessions[session], !one.isCommitted else { return }
        chunks[one.row, default: 0] += 1
        if one.bytes == chunk { sessions[session]?.bytes += 1 }
    }

    mutating func commit(_ session: Int) -> Bool {
        guard let one = sessions[session], one.bytes == Self.size else { return false }
        if one.isCommitted {
            lateCommits += 1
        } else {
            sessions[session]?.isCommitted = true
            objects[one.row, default: 0] += 1
        }
        return true
    }

    mutating func post(_ row: Int64) { posts[row, default: 0] += 1 }
}
