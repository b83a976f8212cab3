// SPDX-License-Identifier: Apache-2.0

/// Counts and measurements of a daemon's transfers since it started. Pure. The cost of each change does not depend on
/// the number of transfers.
package struct TransferMetrics: Sendable, Equatable, Codable {
    /// The transfers in one direction.
    package struct OneWay: Sendable, Equatable, Codable {
        /// Handed over.
        @Within<Counts> package var accepted = 0
        package var attempts = Tally<AttemptOutcome>()
        package var ends = Tally<TransferEnd>()
        /// Bytes of files and bodies sent over the network, some of them more than once.
        @Within<ByteCounts> package var bytes: Int64 = 0
        /// From the moment a transfer could begin until the first byte of its first attempt.
        package var firstByte = Histogram(.transfers)
        /// From an attempt's beginning to its end; a download's file has not been saved by then.
        package var attemptTimes = Histogram(.transfers)

        package init() {}
    }

    package var uploads = OneWay()
    package var downloads = OneWay()
    /// Failed attempts by failure code.
    package var failures = Tally<TransferFailure.Code>()
    /// From a hand-over to its commit.
    package var handOver = Histogram(.commits)

    package init() {}

    /// - Parameter isUpload: the direction.
    package subscript(isUpload isUpload: Bool) -> OneWay {
        get { isUpload ? uploads : downloads }
        _modify {
            if isUpload { yield &uploads } else { yield &downloads }
        }
    }

    /// Counts transfers that were handed over together, and the time taken.
    package mutating func accepted(_ transfers: [Transfer], seconds: Double) {
        let uploads = transfers.count { $0.spec.isUpload }
        self.uploads.accepted += uploads
        downloads.accepted += transfers.count - uploads
        handOver.observe(seconds)
    }

    /// Counts an attempt that has ended.
    ///
    /// - Parameters:
    ///   - outcome: how it ended.
    ///   - transfer: its transfer, after the decision on the end.
    ///   - seconds: how long it took.
    package mutating func attemptEnded(_ outcome: AttemptOutcome, of transfer: Transfer, seconds: Double) {
        self[isUpload: transfer.spec.isUpload].attempts.add(outcome)
        self[isUpload: transfer.spec.isUpload].attemptTimes.observe(seconds)
        guard outcome == .failed else { return }
        if case .finished(.failed(let failure, _), _) = transfer.state {
            failures.add(failure.code)
        } else if let failure = transfer.lastFailure {
            failures.add(failure.code)
        }
    }

    package mutating func ended(_ outcome: TransferOutcome, isUpload: Bool) {
        self[isUpload: isUpload].ends.add(TransferEnd(outcome))
    }

    package mutating func moved(_ bytes: Int64, isUpload: Bool) {
        self[isUpload: isUpload].bytes = self[isUpload: isUpload].bytes.addingClamped(bytes)
    }
}

/// How an attempt ended.
package enum AttemptOutcome: String, Sendable, Hashable, CaseIterable {
    case completed, failed
    /// It begins again because the server's file is different, or its answer is not a part of the file.
    case restarted
    /// The server sent a challenge that the app must answer.
    case challenged
    /// It was interrupted by a person, the daemon's end, or the loss of the network.
    case interrupted

    /// - Parameters:
    ///   - result: the attempt's result.
    ///   - state: the transfer's state after the decision on it.
    package init(_ result: AttemptResult, then state: TransferState) {
        switch result {
        case .withheld:
            self = .interrupted
            return
        case .mustBeginAgain:
            self = .restarted
            return
        case .answered, .challenged, .failed: break
        }
        switch state {
        case .saving, .finished(.completed, _): self = .completed
        case .waiting(let wait):
            if case .delegate = wait.cause { self = .challenged } else { self = .failed }
        case .finished, .queued, .running, .paused:
            self = .failed
        }
    }
}

/// How a transfer ended.
package enum TransferEnd: String, Sendable, Hashable, CaseIterable {
    case completed, leftOut, failed, cancelled

    package init(_ outcome: TransferOutcome) {
        switch outcome {
        case .completed(let answer): self = answer.saysThere == true ? .leftOut : .completed
        case .failed: self = .failed
        case .cancelled, .cancelledByQuit, .released: self = .cancelled
        }
    }
}
