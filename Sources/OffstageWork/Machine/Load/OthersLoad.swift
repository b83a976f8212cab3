// SPDX-License-Identifier: Apache-2.0

/// Whether others than the runs that need an idle machine use the processors, from what the kernel and the runs' apps say
/// at two times. What the runs use themselves is no reason to end them.
package struct OthersLoad: Sendable, Hashable {
    /// What had been used at one time.
    package struct Sample: Sendable, Hashable {
        /// Seconds since the machine was started.
        package var time: Double
        /// All processors' time since then, in seconds, idle or not.
        package var whole: Double
        /// What programs used of it.
        package var used: Double
        /// What the runs' apps used, counted from any time on.
        package var own: Double

        package init(time: Double, whole: Double, used: Double, own: Double) {
            self.time = time
            self.whole = whole
            self.used = used
            self.own = own
        }
    }

    /// False until two samples have said otherwise; true where there are none, since it cannot be told who it is.
    package private(set) var isHigh: Bool
    private var base: Sample?

    /// The share of all processors' time from which on others use them, and below which they do not any more.
    private static let highFrom = 0.1
    private static let lowBelow = 0.05
    /// Seconds between two samples that say something: in fewer, anything may use a tenth.
    private static let leastSpan = 5.0

    /// - Parameter sample: when the runs began; nil where the kernel does not tell.
    package init(since sample: Sample?) {
        base = sample
        isHigh = sample == nil
    }

    /// Begins anew with what is measured; what has been found holds on.
    package mutating func restart(at sample: Sample?) {
        guard let sample else { return take(nil) }
        base = sample
    }

    /// Takes in what is measured now; nil where the kernel does not tell.
    package mutating func take(_ sample: Sample?) {
        guard let sample, let before = base else {
            isHigh = isHigh || sample == nil
            base = sample
            return
        }
        guard sample.time - before.time >= Self.leastSpan else { return }
        base = sample
        isHigh = Self.share(from: before, to: sample).map { $0 >= (isHigh ? Self.lowBelow : Self.highFrom) } ?? true
    }

    /// What others used between two samples of all processors' time, from 0 to 1; nil when no time has passed.
    package static func share(from before: Sample, to after: Sample) -> Double? {
        let whole = after.whole - before.whole
        guard whole > 0 else { return nil }
        return min(max(0, (after.used - before.used) - (after.own - before.own)) / whole, 1)
    }
}

extension OthersLoad.Sample {
    /// - Parameters:
    ///   - stat: what `/proc/stat` says: `cpu  user nice system idle iowait irq softirq steal …` comes first.
    ///   - uptime: what `/proc/uptime` says: seconds come first.
    ///   - ticks: how many the kernel counts in a second.
    ///   - own: what the runs' apps used, in seconds.
    package init?(stat: String, uptime: String, ticks: Double, own: Double) {
        guard let time = uptime.split(separator: " ").first.flatMap({ Double($0) }), time.isFinite, ticks > 0,
            let line = stat.split(separator: "\n").first, line.hasPrefix("cpu ")
        else { return nil }
        // What guests use is in `user` and `nice` already.
        let fields = line.split(separator: " ").dropFirst().prefix(8).compactMap { UInt64($0) }.map { Double($0) }
        guard fields.count >= 4 else { return nil }
        // Interrupts are no program's, and time that was stolen went to another machine.
        let used = fields[0] + fields[1] + fields[2]
        self.init(time: time, whole: fields.reduce(0, +) / ticks, used: used / ticks, own: own)
    }
}
