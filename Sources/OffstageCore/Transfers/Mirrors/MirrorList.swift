// SPDX-License-Identifier: Apache-2.0

/// The addresses of one file, in the order of their use, and what has become of each.
///
/// One of them is in use at a time: the transfer's URL. `left` decides when another takes its place.
package struct MirrorList: Sendable, Equatable {
    /// Where the file is said to be.
    package struct Address: Sendable, Equatable, Codable {
        package let url: RequestURL
        /// Why it was left the last time; nil if it never was.
        package internal(set) var trouble: Trouble?
        /// Retries made there before it was left.
        @Within<Counts> var retries: Int = 0

        package init(_ url: RequestURL) { self.url = url }
    }

    /// Why an address was left.
    package struct Trouble: Sendable, Equatable, Codable {
        package var failure: TransferFailure
        /// Whether it is not used again, unless a person restarts the transfer.
        package var isForGood: Bool
        /// Until when its server asked to be left alone.
        var rest: Deadline?
    }

    /// What a failure at the address in use leads to.
    package enum Verdict: Sendable, Equatable {
        /// The address is used further, as if it were the only one.
        case stay
        /// This address takes over, after so many seconds.
        case takeOver(Int, wait: Double)
        /// No address is left.
        case nothingLeft
    }

    package internal(set) var addresses: [Address]
    /// The address in use.
    package internal(set) var current = 0
    /// The length that the file must have, as its owner knows it.
    @WithinIfPresent<ByteCounts> package var size: Int64?
    /// The length that an address has stated which was left since.
    @WithinIfPresent<ByteCounts> var stated: Int64?
    /// How often all addresses have been gone through.
    @Within<Counts> var rounds: Int = 0
    /// Set once a file with bytes of several addresses was a wrong one: from then on none is put together that way.
    var keepsApart = false

    /// The most addresses besides the first.
    package static let mostMirrors = 16
    /// Failures in a row that got no further before another address takes over.
    static let patience = 3
    /// Seconds: a server that asks for a longer wait is left at once if nothing is lost by that.
    static let longestWait = 10.0

    package init(_ urls: [RequestURL], size: Int64? = nil) {
        addresses = urls.map(Address.init)
        self.size = size
    }

    /// Whether nothing has happened to any of them.
    package var isUntried: Bool { self == MirrorList(addresses.map(\.url), size: size) }

    /// Decides after a failure whether another address takes over, and notes why.
    ///
    /// An address is left for good after a failure that no retry mends; for now after some failures in a row that got no
    /// further. One that was left for now has its turn again after the others. The last one that is left is used as if it
    /// were the only one.
    ///
    /// - Parameters:
    ///   - failure: how the attempt failed.
    ///   - isFinal: whether the address has had all its retries.
    ///   - fruitless: failures in a row that got no further, with this one.
    ///   - losesBytes: whether another address would have to send again what has arrived.
    ///   - retries: retries made at the address.
    ///   - now: the time.
    ///   - backoff: seconds before a round; given its number.
    /// - Returns: what follows.
    mutating func left(
        after failure: TransferFailure,
        isFinal: Bool,
        fruitless: Int,
        losesBytes: Bool,
        retries: Int,
        now: Moment,
        backoff: (Int) -> Double
    ) -> Verdict {
        guard addresses.count > 1, failure.isOfAddress, addresses.indices.contains(current) else { return .stay }
        let hasMisbehaved = addresses[current].trouble?.failure.retryClass == .misbehaviour
        let next = successor
        let isTired = fruitless >= patience(with: failure, losesBytes: losesBytes)
        // Servers that send nonsense would otherwise take turns for as long as the transfer may take.
        let isForGood =
            isFinal || failure.retryClass == .permanent
            || isTired && hasMisbehaved && failure.retryClass == .misbehaviour
        guard isForGood || isTired && next != nil else { return .stay }
        addresses[current].trouble = Trouble(
            failure: failure,
            isForGood: isForGood,
            rest: failure.retryAfter.map { Deadline(setAt: now, delay: $0) }
        )
        addresses[current].retries = retries
        guard let next else { return .nothingLeft }
        var wait = 0.0
        if next < current {
            rounds = rounds.addingClamped(1)
            if !isForGood { wait = backoff(rounds) }
        }
        current = next
        return .takeOver(next, wait: max(wait, addresses[next].trouble?.rest?.remaining(at: now) ?? 0))
    }

    /// The next address that was not left for good; nil if there is none besides the one in use.
    private var successor: Int? {
        // checked: counts and indices of a short list
        (1..<addresses.count).lazy.map { (current + $0) % addresses.count }
            .first { addresses[$0].trouble?.isForGood != true }
    }

    /// How many failures in a row it takes. A server that cannot be reached, or asks for a long wait, is left at once if
    /// nothing is lost by that.
    private func patience(with failure: TransferFailure, losesBytes: Bool) -> Int {
        guard !losesBytes else { return Self.patience }
        let isAway = [.cannotFindHost, .cannotConnect, .proxyFailed].contains(failure.code)
        return isAway || failure.retryAfter ?? 0 > Self.longestWait ? 1 : Self.patience
    }

    /// A person restarts the transfer: no address counts as left any more.
    ///
    /// - Parameter staying: whether the one in use goes on with what has arrived; otherwise it begins with the first.
    mutating func startOver(staying: Bool) {
        for index in addresses.indices { (addresses[index].trouble, addresses[index].retries) = (nil, 0) }
        rounds = 0
        if !staying {
            current = 0
            (stated, keepsApart) = (nil, false)
        }
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
    /// Whether the failure is that of an address, so that another one may do better: not one of this machine, its files
    /// or its settings.
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
