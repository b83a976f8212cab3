// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageSupervisor
import OffstageWork

/// The contents of `/proc` files. A process chooses its own name, which appears in one of them.
enum ProcFileTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        let all = Array(bytes)
        if let status = ProcessStatus(process: 1, stat: all[...]) { _ = (status.isStopped, status.hasEnded) }
        var input = FuzzInput(bytes)
        let first = String(decoding: input.part(endingAt: 0), as: UTF8.self)
        let second = String(decoding: input.rest(), as: UTF8.self)
        if let sample = OthersLoad.Sample(stat: first, uptime: second, ticks: 100, own: 0) {
            var load = OthersLoad(since: nil)
            load.add(sample)
            var later = sample
            later.time += 10
            load.add(later)
        }
        _ = SocketTable.owner(in: all, of: .init(port: 80), connectedTo: .init(port: 40000))
        var rule = LoadRule()
        rule.add(LoadRule.Measure(pressure: first))
        rule.add(LoadRule.Measure(average: first, processors: 2))
        rule.add(LoadRule.Measure(average: second, processors: 0))
    }
}
