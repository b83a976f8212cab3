// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What happens to the machine.
extension SimulatedWeek {
    mutating func changeConditions() {
        agenda.add(.conditionChanges, at: time + pause(changeInterval))
        for _ in 0..<(chance(20) ? 2 : 1) { changeOne() }
        tell(.conditions(conditions))
    }

    private mutating func changeOne() {
        switch Int.random(in: 0..<(hasBattery ? 10 : 6), using: &random) {
        case 0, 1: conditions.network = [.none, .metered, .unmetered][Int.random(in: 0..<3, using: &random)]
        case 2, 3, 4: conditions.isBusy.toggle()
        case 5: conditions.isDiskFull = !conditions.isDiskFull && chance(30)
        case 6, 7: conditions.hasExternalPower.toggle()
        default: conditions.batteryCharge = chance(10) ? nil : seconds(0...1)
        }
    }

    mutating func somethingBreaks() {
        agenda.add(.somethingBreaks, at: time + pause(40_000))
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1, 2, 3: suspend()
        case 4, 5: setClock()
        case 6, 7, 8: crashDaemon()
        default: crashMachine()
        }
    }

    private mutating func suspend() {
        let gap = chance(50) ? seconds(60...3600) : seconds(3600...40_000)
        note("the machine sleeps for \(gap) s")
        counts.suspends += 1
        time += gap
        naive.slept(gap)
    }

    private mutating func setClock() {
        let shift = chance(50) ? seconds(-7200...7200) : seconds(-200_000...200_000)
        note("the clock is set by \(shift) s")
        counts.clockJumps += 1
        wallShift += shift
        tell(.timeIsUp)
    }

    private mutating func crashMachine() {
        crashDaemon()
        note("the machine crashes")
        counts.machineCrashes += 1
        for app in apps.indices {
            apps[app].forget()
            switch apps[app].hold {
            case .backedOff, .ending: apps[app].hold = nil
            case .quit, nil: break
            }
        }
        time += chance(70) ? seconds(10...120) : seconds(3600...150_000)
        bootTime = time - seconds(1...20)
        bootID = "boot-\(counts.machineCrashes + 1)"
        if chance(20) { wallShift -= seconds(0...3600) }
        guard schedule == nil else { return }
        agenda.removeAll { if case .daemonStarts = $0 { true } else { false } }
        later(0.5...30, .daemonStarts)
    }
}
