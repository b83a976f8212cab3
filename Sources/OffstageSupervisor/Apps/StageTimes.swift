// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageRuntime

/// Converts boot-time clock times between the daemon, whose clock may have been advanced, and apps' processes, which
/// read the machine's clock.
extension StageCommand {
    package func shifted(by seconds: Double) -> StageCommand {
        guard seconds != 0 else { return self }
        return switch self {
        case .enterBackground(let end): .enterBackground(timeEnds: end + seconds)
        case .backgroundTime(let end): .backgroundTime(ends: end.map { $0 + seconds })
        case .handleEvents(let session, let end): .handleEvents(session: session, timeEnds: end + seconds)
        case .startTask(let launch, let end): .startTask(launch, timeEnds: end.map { $0 + seconds })
        case .enterForeground, .expire, .expireTask, .prepareToSuspend, .memoryWarning, .terminate: self
        }
    }
}

extension StageReport {
    func shifted(by seconds: Double) -> StageReport {
        guard seconds != 0, case .beganTask(let task) = self else { return self }
        return .beganTask(task.shifted(by: seconds))
    }
}

extension StageView {
    package func shifted(by seconds: Double) -> StageView {
        guard seconds != 0 else { return self }
        var view = self
        view.tasks = tasks.map { $0.shifted(by: seconds) }
        view.timeEnds = timeEnds.map { $0 + seconds }
        return view
    }
}

extension BackgroundTask {
    fileprivate func shifted(by seconds: Double) -> BackgroundTask {
        BackgroundTask(id: id, name: name, beganAt: beganAt + seconds)
    }
}
