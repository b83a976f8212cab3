// SPDX-License-Identifier: Apache-2.0

/// An instant of the continuous clock, in a value whose size is known at compile time.
///
/// `ContinuousClock.Instant` is resilient: code that uses a value containing one queries the runtime for its layout
/// each time. The cost is noticeable where libcurl calls back for every 16 KiB.
struct FixedInstant: Sendable {
    private static let epoch = ContinuousClock.now
    private let sinceEpoch: Duration

    init(_ instant: ContinuousClock.Instant) {
        sinceEpoch = Self.epoch.duration(to: instant)
    }

    var instant: ContinuousClock.Instant { Self.epoch.advanced(by: sinceEpoch) }
}
