// SPDX-License-Identifier: Apache-2.0

/// Downloads whose file is named by the server (`--remote-header-name`).
extension Transfer {
    /// Whether the file gets the name that an answer gives.
    package var takesRemoteName: Bool {
        if case .download(let target) = spec.direction { target.remoteName != nil } else { false }
    }

    /// Handles the head of an answer whose body is the file.
    ///
    /// - Parameters:
    ///   - number: the attempt that the answer belongs to; an old attempt is ignored.
    ///   - name: a safe name; nil if the answer gives none.
    /// - Returns: whether the target has just been settled, or has changed.
    package mutating func named(attempt number: Int, _ name: String?) -> Bool {
        guard case .running(let attempt) = state, attempt.number == number else { return false }
        return spec.applyName(name)
    }

    /// Applies the name in the answer that came with the file, whatever earlier answers said.
    mutating func applyName(of answer: Answer) {
        guard takesRemoteName, (200..<300).contains(answer.status) else { return }
        _ = spec.applyName(ContentDisposition.fileName(in: answer.headers))
    }

    /// Breaks off the attempt before more data arrives in vain, because the name that the file would get is taken.
    package mutating func targetRefused(
        _ failure: TransferFailure,
        attempt number: Int,
        now: Moment
    ) -> [TransferAction] {
        guard case .running(let attempt) = state, attempt.number == number else { return [] }
        past.record(attempt, endedAt: now, reached: bytesDone, failure: failure)
        past.lastFailure = failure
        return [.stop] + finish(.failed(failure, nil), now: now)
    }
}

extension TransferSpec {
    /// Gives a download's file the name that an answer gives; returns whether its target has changed.
    fileprivate mutating func applyName(_ name: String?) -> Bool {
        guard case .download(var target) = direction, target.remoteName != nil else { return false }
        target.rename(name)
        guard .download(target) != direction else { return false }
        direction = .download(target)
        return true
    }
}

extension TransferSpec.DownloadTarget {
    /// Changes the last part of the path. The partial file is in the same folder, under an unrelated name.
    fileprivate mutating func rename(_ name: String?) {
        remoteName = .given
        guard let name, let slash = path.lastSlash else { return }
        let named = path[..<slash] + "/" + name
        if named.utf8.count <= TransferSpec.Limits.pathBytes { path = String(named) }
    }
}
