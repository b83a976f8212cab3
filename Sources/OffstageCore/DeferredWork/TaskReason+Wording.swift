// SPDX-License-Identifier: Apache-2.0

extension TaskReason {
    /// Its reason for waiting, or its state, in a few words for a table.
    package var summary: String { cause.summary }

    /// A person's possible action.
    package var advice: String { cause.advice }
}

extension TaskReason.Cause {
    package var summary: String {
        switch self {
        case .running: "running"
        case .starting: "being started"
        case .earliestBegin: "waiting for its begin date"
        case .appQuit: "a person quit its app"
        case .appEnding: "waiting for its app's process to end"
        case .appBackedOff(let crashes): "its app crashed \(crashes == 1 ? "once" : "\(crashes) times in a row")"
        case .refreshOff: "background refresh is off"
        case .noNetwork: "waiting for a network"
        case .noExternalPower: "waiting for external power"
        case .lowBattery(let charge, let least):
            "battery at \(Self.percent(charge)), below \(Self.percent(least)) and not charging"
        case .diskFull: "the disk is full"
        case .machineBusy: "waiting until the machine is idle"
        case .budgetSpent(let seconds): "its app has used its \(Self.duration(seconds)) for the day"
        case .othersRun(let running, let limit):
            "\(running) \(running == 1 ? "task is" : "tasks are") running, the limit is \(limit)"
        case .retry(let attempts): "waiting to start again after attempt \(attempts)"
        }
    }

    package var advice: String {
        switch self {
        case .running, .starting: "Nothing needs doing; 'offstage tasks cancel TASK' ends it."
        case .earliestBegin: "Nothing needs doing; 'offstage simulate launch TASK' starts it now."
        case .appQuit: "Start the app: nothing else starts an app that a person quit."
        case .appEnding: "Nothing needs doing: it continues when the process has ended."
        case .appBackedOff:
            "'offstage app log APP' shows how it ended; starting the app by hand ends the pause."
        case .refreshOff: "Switch background refresh on in the settings, for all apps or for this one."
        case .noNetwork: "Connect the machine to a network."
        case .noExternalPower: "Plug the machine in."
        case .lowBattery: "Plug the machine in, or lower leastCharge in the settings."
        case .diskFull: "Free some space where the store is, or see 'offstage doctor'."
        case .machineBusy: "Nothing needs doing; 'offstage simulate launch TASK' starts it now."
        case .budgetSpent:
            "Nothing needs doing: its time comes back gradually; raise dailySeconds in the settings for more."
        case .othersRun: "Nothing needs doing; raise running in the settings for more at once."
        case .retry: "Nothing needs doing; 'offstage simulate launch TASK' starts it now."
        }
    }

    private static func percent(_ part: Double) -> String { "\(Int(nearest: (part * 100).rounded())) %" }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(nearest: seconds.rounded())
        if whole >= 3600, whole % 3600 == 0 { return "\(whole / 3600) h" }
        return whole >= 60 && whole % 60 == 0 ? "\(whole / 60) min" : "\(whole) s"
    }
}
