// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// An app's life that is driven by any events in any order: people's requests, the kernel's reports, and the messages
/// of its own process, which may be anything.
enum AppLifeTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        var life = AppLife(
            AppRegistration(
                id: "org.example.app",
                executable: "/opt/app/app",
                information: .init(),
                launch: .init(arguments: [], workingDirectory: "/", environment: [:])
            ),
            policy: .init(time: .init(taskTime: 30), isStrict: input.bool())
        )
        var now = fuzzStart
        var launches = 0
        while !input.isAtEnd {
            now = input.moment(after: now)
            let actions = life.handle(event(&input), now: now, token: "token")
            let spawned = actions.filter { if case .spawn = $0 { true } else { false } }.count
            launches += spawned
            promise(spawned <= 1, "an app is launched twice at once")
            promise(life.nextLook.map { !$0.isNaN } ?? true, "it is looked at at no time at all")
            promise(life.state != .terminated || !life.isAttached, "an app without a process is connected")
            if case .persist? = actions.last {
            } else {
                promise(!actions.contains(.persist), "something waits behind what is made durable")
            }
        }
    }

    private static func event(_ input: inout FuzzInput) -> AppEvent {
        switch input.choice(26) {
        case 0: .launch(.person)
        case 1: .launch(.personInBackground)
        case 2: .launch(.sessionEvents(session(&input)))
        case 3: .launch(.task("task"))
        case 4: .foreground
        case 5: .background
        case 6: .quit(keepsTransfers: input.bool())
        case 7: .terminate
        case 8: .reclaim
        case 9: .memoryWarning
        case 10: .sessionNeedsApp(session(&input))
        case 11: .sessionSettled(session(&input))
        case 12: .transfersCancelled
        case 13: .startTask(launch(&input))
        case 14: .resumeTask(launch(&input))
        case 15: .expireTask(UInt64(input.byte() & 7), .simulated)
        case 16: .spawned(process(&input))
        case 17: .spawnFailed("it cannot be", isForGood: input.bool())
        case 18: .observed(isStopped: input.bool())
        case 19: .ended(input.bool() ? .exited(Int32(input.byte())) : .signalled(9))
        case 20: .attached(process(&input), view(&input))
        case 21: .disconnected
        case 22: .report(report(&input))
        case 23: .committed
        case 24: .timeIsUp
        default: input.bool() ? .machineSlept(input.number()) : .restored(isStopped: input.bool() ? input.bool() : nil)
        }
    }

    private static func report(_ input: inout FuzzInput) -> StageReport {
        switch input.choice(16) {
        case 0: .launched
        case 1: .state(state(&input))
        case 2: .beganTask(task(&input))
        case 3: .endedTask(Int(input.integer()))
        case 4: .expired
        case 5: .announced(session: session(&input))
        case 6: .handled(session: session(&input))
        case 7: .taskEntered(UInt64(input.byte() & 7))
        case 8: .taskCompleted(.init(number: UInt64(input.byte() & 7), success: input.bool()))
        case 9: .taskUnclaimed(UInt64(input.byte() & 7))
        case 10: .taskLeftOut(UInt64(input.byte() & 7))
        case 11:
            .taskProgress(
                UInt64(input.byte() & 7),
                .init(title: "", subtitle: "", completed: input.integer(), total: input.integer())
            )
        case 12: .visible(input.bool())
        case 13: .leftTerminal
        case 14: .terminal(isInFront: input.bool())
        default: .continued
        }
    }

    private static func view(_ input: inout FuzzInput) -> StageView {
        let code = input.byte()
        return StageView(
            state: code & 1 == 1 ? state(&input) : nil,
            tasks: code & 2 == 2 ? [task(&input), task(&input)] : [],
            unhandled: code & 4 == 4 ? [session(&input)] : [],
            runningTasks: code & 8 == 8 ? [UInt64(input.byte() & 7): input.bool()] : [:],
            completedTasks: code & 16 == 16 ? [.init(number: UInt64(input.byte() & 7), success: true)] : [],
            isInTerminal: code & 32 == 32,
            isInFront: code & 64 == 64 ? input.bool() : nil,
            isToBeInFront: code & 128 == 128 ? input.bool() : nil,
            timeEnds: input.bool() ? input.number() : nil
        )
    }

    private static func state(_ input: inout FuzzInput) -> LifeState {
        LifeState.allCases[input.choice(LifeState.allCases.count)]
    }

    private static func task(_ input: inout FuzzInput) -> BackgroundTask {
        BackgroundTask(id: Int(input.integer()), name: "", beganAt: input.number())
    }

    private static func launch(_ input: inout FuzzInput) -> TaskLaunch {
        TaskLaunch(
            number: UInt64(input.byte() & 7),
            identifier: "task",
            kind: TaskRequest.Kind.allCases[input.choice(TaskRequest.Kind.allCases.count)],
            seconds: input.bool() ? input.number() : nil
        )
    }

    private static func process(_ input: inout FuzzInput) -> ProcessIdentity {
        ProcessIdentity(number: 1 + Int32(input.byte() & 3), startedAt: 1)
    }

    private static func session(_ input: inout FuzzInput) -> String { ["photos", "films", ""][input.choice(3)] }
}
