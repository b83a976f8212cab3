// SPDX-License-Identifier: Apache-2.0

/// Whether programs other than the runs that need an idle machine use the processors, computed from two readings. The
/// runs' own load is no reason to end them.
package struct OthersLoad: Sendable, Hashable {
    /// A reading of the processor time used.
    package struct Sample: Sendable, Hashable {
        /// Seconds since the machine was started.
        package var time: Double
        /// The time of all processors since then, in seconds, including idle time.
        package var whole: Double
        /// The part that programs used.
        package var used: Double
        /// The part that the runs' apps used, counted from an arbitrary time.
        package var own: Double

        package init(time: Double, whole: Double, used: Double, own: Double) {
            self.time = time
            self.whole = whole
            self.used = used
            self.own = own
        }
    }

    /// False until two samples show otherwise; true without samples, because the cause is unknown.
    package private(set) var isHigh: Bool
    private var base: Sample?

    /// The share of all processors' time above which other programs use them, and below which they no longer do.
    private static let highFrom = 0.1
    private static let lowBelow = 0.05
    /// The minimum number of seconds between two meaningful samples: within fewer, any program may use a tenth.
    private static let leastSpan = 5.0

    /// - Parameter sample: the reading at the beginning of the runs; nil if the kernel provides none.
    package init(since sample: Sample?) {
        base = sample
        isHigh = sample == nil
    }

    /// Starts over with a new sample, and keeps the present finding.
    package mutating func restart(at sample: Sample?) {
        guard let sample else { return add(nil) }
        base = sample
    }

    /// Adds a sample; nil if the kernel provides none.
    package mutating func add(_ sample: Sample?) {
        guard let sample, let before = base else {
            isHigh = isHigh || sample == nil
            base = sample
            return
        }
        guard sample.time - before.time >= Self.leastSpan else { return }
        base = sample
        isHigh = Self.share(from: before, to: sample).map { $0 >= (isHigh ? Self.lowBelow : Self.highFrom) } ?? true
    }

    /// The share of all processors' time that other programs used between two samples (0 to 1); nil if no time passed.
    package static func share(from before: Sample, to after: Sample) -> Double? {
        let whole = after.whole - before.whole
        guard whole > 0 else { return nil }
        return min(max(0, (after.used - before.used) - (after.own - before.own)) / whole, 1)
    }
}

extension OthersLoad.Sample {
    /// - Parameters:
    ///   - stat: the contents of `/proc/stat`: `cpu  user nice system idle iowait irq softirq steal …` comes first.
    ///   - uptime: the contents of `/proc/uptime`: seconds come first.
    ///   - ticks: the kernel's ticks per second.
    ///   - own: the time that the runs' apps used, in seconds.
    package init?(stat: String, uptime: String, ticks: Double, own: Double) {
        guard let time = uptime.split(separator: " ").first.flatMap({ Double($0) }), time.isFinite, ticks > 0,
            let line = stat.split(separator: "\n").first, line.hasPrefix("cpu ")
        else { return nil }
        // The guests' time is already in `user` and `nice`.
        let fields = line.split(separator: " ").dropFirst().prefix(8).compactMap { UInt64($0) }.map { Double($0) }
        guard fields.count >= 4 else { return nil }
        // Interrupts belong to no program, and stolen time went to another machine.
        let used = fields[0] + fields[1] + fields[2]
        self.init(time: time, whole: fields.reduce(0, +) / ticks, used: used / ticks, own: own)
    }
}
