// SPDX-License-Identifier: Apache-2.0

/// Measures bytes a second over the last few seconds.
package struct RateMeter: Sendable {
    private var samples: [(uptime: Double, bytes: Int64)] = []

    package init() {}

    /// Records that `bytes` had been transferred at `uptime` seconds.
    package mutating func add(bytes: Int64, uptime: Double) {
        samples.append((uptime, bytes))
        while samples.count > 2, uptime - samples[0].uptime > 4 { samples.removeFirst() }
    }

    /// Bytes a second; 0 before there are two samples.
    package var rate: Double {
        guard let first = samples.first, let last = samples.last, last.uptime > first.uptime else { return 0 }
        return max(0, Double(last.bytes - first.bytes) / (last.uptime - first.uptime))
    }
}
