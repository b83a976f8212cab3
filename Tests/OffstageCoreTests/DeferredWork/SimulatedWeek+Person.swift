// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The actions of a person, with apps and with the daemon.
extension SimulatedWeek {
    mutating func personActs() {
        agenda.add(.personActs, at: time + pause(personInterval))
        guard schedule != nil else { return }
        let app = Int.random(in: 0..<apps.count, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: open(app)
        case 45..<50: quit(app)
        case 50..<56: cancel(app)
        case 56..<58: forget(app)
        case 58..<70: force()
        case 70..<75: expireAny()
        case 75..<80: end(app)
        case 80..<86: changePolicy()
        case 86..<93: if apps[app].running.isEmpty, apps[app].told.isEmpty { apps[app].forget() }
        default: addContinued(app)
        }
    }

    private mutating func open(_ app: Int) {
        if apps[app].hold == .ending { return }
        if apps[app].hold != nil { setHold(nil, app) }
        apps[app].crashes = 0
        launch(app)
        for habit in apps[app].habits.indices where chance(60) { submit(habit, of: app) }
        if chance(15) { addContinued(app) }
    }

    private mutating func addContinued(_ app: Int) {
        guard apps[app].process != nil, apps[app].hold == nil else { return }
        for index in 0..<Int.random(in: 1...3, using: &random) {
            submit("long.\(index)", .continued, chance(20) ? now.wall.addingTimeInterval(900) : nil, false, false, app)
        }
    }

    private mutating func quit(_ app: Int) {
        guard apps[app].hold != .quit else { return }
        // In the order in which an app's life may report it.
        if chance(50) {
            setHold(.quit, app)
            processEnds(app, isCrash: false)
        } else {
            processEnds(app, isCrash: false)
            setHold(.quit, app)
        }
        for index in 0..<3 {
            guard let number = schedule?.number(of: "long.\(index)", app: apps[app].name) else { continue }
            counts.cancelled += 1
            remove(number, .dropped)
        }
    }

    private mutating func end(_ app: Int) {
        guard apps[app].hold == nil, let process = apps[app].process else { return }
        setHold(.ending, app)
        guard apps[app].process == process else { return }
        later(0.1...5, .ended(app: app, process: process))
    }

    private mutating func cancel(_ app: Int) {
        for habit in apps[app].habits where chance(60) {
            guard let number = schedule?.number(of: habit.identifier, app: apps[app].name) else { continue }
            counts.cancelled += 1
            remove(number, .cancelled)
        }
    }

    /// The app is forgotten, with everything that belongs to it.
    private mutating func forget(_ app: Int) {
        processEnds(app, isCrash: false)
        for number in schedule?.numbers(app: apps[app].name, limit: 1000) ?? [] {
            counts.cancelled += 1
            remove(number, .dropped)
        }
    }

    private mutating func force() {
        guard let number = naive.requests.randomElement(using: &random)?.number else { return }
        counts.forced += 1
        tell(.force(number))
    }

    private mutating func expireAny() {
        guard let request = naive.requests.filter({ $0.phase != .pending }).randomElement(using: &random) else {
            return
        }
        expire(request.number)
    }

    private mutating func changePolicy() {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: policy.runningLimit = Int.random(in: 1...4, using: &random)
        case 1: policy.isRefreshOn.toggle()
        case 2:
            let name = apps[Int.random(in: 0..<apps.count, using: &random)].name
            if policy.refreshExceptions.remove(name) == nil { policy.refreshExceptions.insert(name) }
        case 3: policy.leastCharge = seconds(0...0.5)
        case 4: policy.dailySeconds = seconds(200...15_000)
        default: policy.runningContinuedLimit = Int.random(in: 1...3, using: &random)
        }
        tell(.policy(policy))
    }
}
