// SPDX-License-Identifier: Apache-2.0

extension Transfer {
    /// Whether the partial file holds all received data, at least in the page cache: it was written in this boot.
    ///
    /// The end of the download is committed before the file is synced. After a power loss in between, the file may be
    /// shorter, or hold zeros, and its length proves nothing.
    package func holdsPartialFile(bootID: String) -> Bool { partial?.isWritten(inBoot: bootID) == true }

    /// Whether an attempt requests the last kept byte again: if the server has not stated the length of the file, the
    /// kept bytes may already be all of it.
    ///
    /// A request beyond the end is answered with 416, often without a length, which proves nothing. If the server still
    /// has the file, a request for a byte that it has already sent returns that byte, with the length.
    package var looksBack: Bool {
        spec.sessionTask == nil && (partial?.totalBytes == nil || spec.expectedBytes != nil)
    }

    /// Handles an attempt whose file could not be opened: the attempt counts, and the kept part of the file stays.
    ///
    /// - Parameters:
    ///   - failure: the reason.
    ///   - now: the time.
    ///   - policy: decides when to try again.
    ///   - jitter: a random number from 0 up to 1.
    /// - Returns: the actions to carry out.
    package mutating func couldNotBegin(
        _ failure: TransferFailure,
        now: Moment,
        policy: RetryPolicy,
        jitter: Double
    ) -> [TransferAction] {
        guard case .queued = state else { return [] }
        let kept = goesOnInTheMiddle ? bytesDone : 0
        past.begin(at: kept, isCountedByServer: spec.dialect != nil || isKeptByServer)
        state = .running(.init(number: attempts, startedAt: now, offset: kept))
        bytesDone = kept
        return attemptEnded(
            attempt: attempts,
            .failed(failure),
            reached: kept,
            now: now,
            policy: policy,
            jitter: jitter
        )
    }

    /// Records which bytes the file of a running attempt in pieces holds.
    package mutating func holds(_ written: ByteSpans, attempt number: Int, bootID: String) {
        guard isRunning(number), partial?.isUnsynced != true else { return }
        partial?.hold(written, bootID: bootID)
    }

    /// Records which pieces of a running attempt have reached the disk.
    package mutating func synced(_ spans: ByteSpans, attempt number: Int) {
        if isRunning(number) { partial?.synced(spans) }
    }
}
