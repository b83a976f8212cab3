// SPDX-License-Identifier: Apache-2.0

/// A time of the continuous clock in a value whose size is known when it is compiled.
///
/// `ContinuousClock.Instant` is resilient: code that touches a value with one inside asks the runtime for its layout
/// each time. That shows where libcurl calls back for every 16 KiB.
struct FixedInstant: Sendable {
    private static let epoch = ContinuousClock.now
    private let sinceEpoch: Duration

    init(_ instant: ContinuousClock.Instant) {
        sinceEpoch = Self.epoch.duration(to: instant)
    }

    var instant: ContinuousClock.Instant { Self.epoch.advanced(by: sinceEpoch) }
}
