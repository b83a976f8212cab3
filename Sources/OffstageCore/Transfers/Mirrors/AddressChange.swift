// SPDX-License-Identifier: Apache-2.0

/// The consequence of a failure at one of a download's addresses, unless the download stays there.
///
/// Another address continues the received bytes only if the file's checksum is known, which decides at the end.
/// Otherwise the download begins again.
struct AddressChange {
    /// What the transfer does next.
    enum Next {
        /// The address that is now in use takes over after `wait` seconds; the failure is the reason for that wait. The
        /// address continues the file with the kept bytes; nil if it begins again.
        case takeOver(keeping: Int64?, wait: Double, because: TransferFailure)
        /// No address is left: the transfer fails.
        case end(TransferFailure)
    }

    /// The state of the addresses after the failure.
    let mirrors: MirrorList
    let next: Next

    /// Decides after a failure at the address in use; nil if nothing changes.
    ///
    /// - Parameters:
    ///   - transfer: the download; the failure is in its history already.
    ///   - failure: how the attempt failed.
    ///   - reached: the byte of the file that the attempt reached.
    ///   - isFinal: whether the address has had all its retries.
    ///   - now: the time.
    ///   - canReach: whether an address can be reached from this machine, as far as that is known without trying.
    ///   - backoff: seconds to wait; given the number of a round through the addresses, or of consecutive failures.
    init?(
        of transfer: Transfer,
        after failure: TransferFailure,
        reached: Int64,
        isFinal: Bool,
        now: Moment,
        canReach: (RequestURL) -> Bool = { _ in true },
        backoff: (Int) -> Double
    ) {
        guard var mirrors = transfer.spec.mirrors else { return nil }
        // If a server cannot continue another's file because it has a different one, the received bytes may still be
        // right.
        let isOwn = transfer.partial?.isAdopted != true
        let isWrong = isOwn && failure.code == .checksumMismatch
        let keeps = reached > 0 && !isWrong && Self.mayContinue(transfer, mirrors)
        let stated = mirrors.stated ?? transfer.partial?.totalBytes
        let verdict = mirrors.left(
            after: failure,
            isFinal: isFinal,
            fruitless: transfer.past.fruitless,
            losesBytes: reached > 0 && !keeps,
            retries: transfer.past.retries,
            now: now,
            canReach: canReach,
            backoff: backoff
        )
        switch verdict {
        case .stay: return nil
        case .nothingLeft: next = .end(mirrors.failure(failure))
        case .takeOver(_, let wait, let cause):
            mirrors.stated = stated
            next = .takeOver(keeping: keeps ? reached : nil, wait: wait, because: cause)
        }
        self.mirrors = mirrors
    }

    /// Whether another address may continue the received bytes. A server with a different file is detected at once by
    /// the file's length, or at the end by its checksum.
    private static func mayContinue(_ transfer: Transfer, _ mirrors: MirrorList) -> Bool {
        guard !mirrors.keepsApart, transfer.spec.wantedChecksum != nil, let partial = transfer.partial else {
            return false
        }
        return partial.isContinuable && partial.totalBytes != nil
    }
}
