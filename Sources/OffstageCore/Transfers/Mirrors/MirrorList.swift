// SPDX-License-Identifier: Apache-2.0

/// The addresses of one file, in the order of their use, and the state of each.
///
/// One of them is in use at a time: the transfer's URL. `left` decides when another takes its place.
package struct MirrorList: Sendable, Equatable {
    /// An address at which the file is expected.
    package struct Address: Sendable, Equatable, Codable {
        package let url: RequestURL
        /// Why it was left the last time; nil if it has never been left.
        package internal(set) var trouble: Trouble?
        /// Retries made there before it was left.
        @Within<Counts> var retries: Int = 0

        package init(_ url: RequestURL) { self.url = url }
    }

    /// Why an address was left.
    package struct Trouble: Sendable, Equatable, Codable {
        package var failure: TransferFailure
        /// Whether the address is not used again, unless a person restarts the transfer.
        package var isForGood: Bool
        /// The time until which its server asked not to be contacted.
        var rest: Deadline?
        /// Whether the address was ever left because it sent nonsense.
        var hasMisbehaved = false
    }

    /// The consequence of a failure at the address in use.
    package enum Verdict: Sendable, Equatable {
        /// Keep using the address, as if it were the only one.
        case stay
        /// This address takes over after `wait` seconds; the failure is the reason for that wait.
        case takeOver(Int, wait: Double, because: TransferFailure)
        /// No address is left.
        case nothingLeft
    }

    package internal(set) var addresses: [Address]
    /// The address in use.
    package internal(set) var current = 0
    /// The length that the file must have, if the owner has given it.
    @WithinIfPresent<ByteCounts> package var size: Int64?
    /// The length stated by an address that has since been left.
    @WithinIfPresent<ByteCounts> var stated: Int64?
    /// The number of completed rounds through all addresses.
    @Within<Counts> var rounds: Int = 0
    /// Set once a file combined from bytes of several addresses was wrong: from then on, no file is combined that way.
    var keepsApart = false

    /// The most addresses in addition to the first.
    package static let mostMirrors = 16
    /// Consecutive failures without progress after which another address takes over.
    static let patience = 3
    /// In seconds: a server that asks for a longer wait is left at once if no bytes are lost.
    static let longestWait = 10.0

    package init(_ urls: [RequestURL], size: Int64? = nil) {
        addresses = urls.map(Address.init)
        self.size = size
    }

    /// The other addresses that may still be used.
    package var others: [RequestURL] {
        addresses.indices.filter { $0 != current && addresses[$0].trouble?.isForGood != true }.map { addresses[$0].url }
    }

    /// Whether all addresses are in their initial state.
    package var isUntried: Bool { self == MirrorList(addresses.map(\.url), size: size) }

    /// Decides after a failure whether another address takes over, and records why.
    ///
    /// An address is left for good after a failure that no retry can fix, and for now after several consecutive
    /// failures without progress. An address that was left for now gets its next turn after the others, and not before
    /// the time that its server asked for. If all others must wait for their servers, the one that can be used first is
    /// chosen, which may be the current one. The last remaining address is used as if it were the only one.
    ///
    /// - Parameters:
    ///   - failure: how the attempt failed.
    ///   - isFinal: whether the address has had all its retries.
    ///   - fruitless: consecutive failures without progress, including this one.
    ///   - losesBytes: whether another address would have to send the received bytes again.
    ///   - retries: retries made at the address.
    ///   - now: the time.
    ///   - canReach: whether an address can be reached from this machine, as far as that is known without trying.
    ///   - backoff: seconds to wait; given the number of a round, or of consecutive failures.
    /// - Returns: what follows.
    mutating func left(
        after failure: TransferFailure,
        isFinal: Bool,
        fruitless: Int,
        losesBytes: Bool,
        retries: Int,
        now: Moment,
        canReach: (RequestURL) -> Bool = { _ in true },
        backoff: (Int) -> Double
    ) -> Verdict {
        guard addresses.count > 1, failure.isOfAddress, addresses.indices.contains(current) else { return .stay }
        let hadMisbehaved = addresses[current].trouble?.hasMisbehaved == true
        let misbehaves = failure.retryClass == .misbehaviour
        let isTired = fruitless >= patience(with: failure, losesBytes: losesBytes)
        // Otherwise, servers that send nonsense would take turns until the overall timeout.
        let isForGood = isFinal || failure.retryClass == .permanent || isTired && hadMisbehaved && misbehaves
        guard isForGood || isTired else { return .stay }
        // If this address is left for good, the others get another turn without a pause.
        let next = successor(
            own: isForGood ? nil : RetryPolicy.wait(backoff(fruitless), after: failure),
            pause: isForGood ? 0 : backoff(rounds.addingClamped(1)),
            now: now,
            canReach: canReach
        )
        guard isForGood || next != nil else { return .stay }
        addresses[current].trouble = Trouble(
            failure: failure,
            isForGood: isForGood,
            rest: failure.retryAfter.map { Deadline(setAt: now, delay: $0) },
            hasMisbehaved: hadMisbehaved || misbehaves
        )
        addresses[current].retries = retries
        guard let next else { return .nothingLeft }
        if next.index < current { rounds = rounds.addingClamped(1) }
        current = next.index
        let rested = next.rest > next.pause ? addresses[next.index].trouble?.failure : nil
        return .takeOver(next.index, wait: next.wait, because: rested ?? failure)
    }

    /// An address that may take over.
    private struct Candidate {
        let index: Int
        /// Seconds until its server may be asked again.
        let rest: Double
        /// Seconds before the round that begins with this address.
        let pause: Double

        var wait: Double { max(rest, pause) }
    }

    /// The address that takes over: the first one, in order, whose server may be used now; otherwise the one that may
    /// be used soonest.
    ///
    /// - Parameters:
    ///   - own: seconds until the one in use is tried again; nil if it is left for good.
    ///   - pause: seconds before another round.
    ///   - now: the time.
    ///   - canReach: whether an address can be reached from this machine.
    /// - Returns: nil if no other address may be used before the one in use.
    private func successor(
        own: Double?,
        pause: Double,
        now: Moment,
        canReach: (RequestURL) -> Bool
    ) -> Candidate? {
        // checked: counts and indices of a short list
        let indices = (1..<addresses.count).map { (current + $0) % addresses.count }
        let others = indices.filter { addresses[$0].trouble?.isForGood != true && canReach(addresses[$0].url) }
            .map { index in
                Candidate(
                    index: index,
                    rest: addresses[index].trouble?.rest?.remaining(at: now) ?? 0,
                    pause: index < current ? pause : 0
                )
            }
        if let ready = others.first(where: { $0.rest <= 0 }) { return ready }
        guard let soonest = others.min(by: { $0.wait < $1.wait }) else { return nil }
        if let own, own <= soonest.wait { return nil }
        return soonest
    }

    /// The number of consecutive failures after which an address is left. A server that cannot be reached, or asks for
    /// a long wait, is left at once if no bytes are lost.
    private func patience(with failure: TransferFailure, losesBytes: Bool) -> Int {
        guard !losesBytes else { return Self.patience }
        let isAway = [.cannotFindHost, .cannotConnect, .proxyFailed].contains(failure.code)
        return isAway || failure.retryAfter ?? 0 > Self.longestWait ? 1 : Self.patience
    }

    /// Records why an address that delivered alongside the one in use was left. `left` is for the one in use.
    ///
    /// An address whose file has another length is left for good only if the owner has given the length: otherwise it
    /// is unknown which of two servers is right.
    mutating func leftBeside(_ address: Int, after failure: TransferFailure, now: Moment) {
        guard failure.isOfAddress, address != current, addresses.indices.contains(address) else { return }
        let hadMisbehaved = addresses[address].trouble?.hasMisbehaved == true
        let misbehaves = failure.retryClass == .misbehaviour
        let isSure = failure.code != .checksumMismatch || size != nil
        addresses[address].trouble = Trouble(
            failure: failure,
            isForGood: failure.retryClass == .permanent && isSure || hadMisbehaved && misbehaves,
            rest: failure.retryAfter.map { Deadline(setAt: now, delay: $0) },
            hasMisbehaved: hadMisbehaved || misbehaves
        )
    }

    /// The other addresses that may deliver now: one for each server.
    func ready(now: Moment) -> [Int] {
        guard addresses.indices.contains(current) else { return [] }
        var servers: Set<String> = [addresses[current].url.hostKey]
        return addresses.indices.filter { index in
            guard index != current else { return false }
            let trouble = addresses[index].trouble
            guard trouble?.isForGood != true, trouble?.rest?.remaining(at: now) ?? 0 <= 0 else { return false }
            return servers.insert(addresses[index].url.hostKey).inserted
        }
    }

    /// Lets all addresses be used again, because a person restarts the transfer.
    ///
    /// - Parameter staying: whether the address in use continues with the received bytes; otherwise the first address
    ///   begins.
    mutating func startOver(staying: Bool) {
        for index in addresses.indices { (addresses[index].trouble, addresses[index].retries) = (nil, 0) }
        rounds = 0
        if !staying {
            current = 0
            (stated, keepsApart) = (nil, false)
        }
    }
}

extension MirrorList.Trouble {
    private enum CodingKeys: String, CodingKey {
        case failure, isForGood, rest, hasMisbehaved
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        failure = try container.decode(TransferFailure.self, forKey: .failure)
        isForGood = try container.decode(Bool.self, forKey: .isForGood)
        rest = try container.decodeIfPresent(Deadline.self, forKey: .rest)
        hasMisbehaved = try container.decodeIfPresent(Bool.self, forKey: .hasMisbehaved) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(failure, forKey: .failure)
        try container.encode(isForGood, forKey: .isForGood)
        try container.encodeIfPresent(rest, forKey: .rest)
        if hasMisbehaved { try container.encode(hasMisbehaved, forKey: .hasMisbehaved) }
    }
}

extension MirrorList: Codable {
    private enum CodingKeys: String, CodingKey {
        case addresses, current, size, stated, rounds, keepsApart
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        addresses = try container.decode([Address].self, forKey: .addresses)
        current = try container.decodeIfPresent(Int.self, forKey: .current) ?? 0
        _size = try container.decode(WithinIfPresent<ByteCounts>.self, forKey: .size)
        _stated = try container.decode(WithinIfPresent<ByteCounts>.self, forKey: .stated)
        _rounds = try container.decodeIfPresent(Within<Counts>.self, forKey: .rounds) ?? Within(wrappedValue: 0)
        keepsApart = try container.decodeIfPresent(Bool.self, forKey: .keepsApart) ?? false
        // checked: our own limit
        guard (1...Self.mostMirrors + 1).contains(addresses.count), addresses.indices.contains(current) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a list of addresses")
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(addresses, forKey: .addresses)
        if current != 0 { try container.encode(current, forKey: .current) }
        try container.encode(_size, forKey: .size)
        try container.encode(_stated, forKey: .stated)
        if rounds != 0 { try container.encode(_rounds, forKey: .rounds) }
        if keepsApart { try container.encode(keepsApart, forKey: .keepsApart) }
    }
}

extension TransferFailure {
    /// Whether the failure is caused by the address, so that another one may do better. Failures of this machine, its
    /// files or its settings are not.
    package var isOfAddress: Bool {
        switch code {
        case .cannotFindHost, .cannotConnect, .connectionLost, .idleTimeout, .proxyFailed, .serverMisbehaves,
            .serverBusy, .badServerResponse, .tooManyRedirects, .redirectRefused, .httpStatus, .unauthorized,
            .secureConnectionFailed, .certificateRejected, .checksumMismatch:
            true
        case .accountUnusable, .accessKeyRefused, .keyCommandFailed, .destinationConflict, .destinationRefused,
            .quotaExceeded, .contentMismatch, .commitUncertain, .sourceMissing, .sourceUnreadable, .sourceIsDirectory,
            .sourceChanged,
            .targetExists, .targetDirectoryMissing, .targetNotWritable, .diskFull, .certificateFileUnreadable,
            .overallTimeout, .daemonInterrupted, .internalError, .requestTooLarge:
            false
        }
    }
}
