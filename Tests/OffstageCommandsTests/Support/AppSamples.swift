// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// Apps and their stories as a daemon would send them.
package enum AppSamples {
    package static let id = "com.example.dropoff"

    package static func row(
        _ state: LifeState,
        id: String = AppSamples.id,
        isQuit: Bool = false,
        outstanding: Int = 0
    ) -> AppRow {
        let runs = state != .terminated
        return AppRow(
            id: id,
            name: runs ? "DropOff" : nil,
            state: state,
            isQuit: isQuit,
            process: runs ? 4711 : nil,
            since: runs ? noon : nil,
            outstanding: outstanding
        )
    }

    package static func detail(_ row: AppRow) -> ShowApp.Reply {
        let isWaiting = row.state == .terminated
        return ShowApp.Reply(
            row: row,
            executable: "/home/me/DropOff.app/dropoff",
            information: .init(name: "DropOff", backgroundModes: ["processing"], permittedTaskIdentifiers: ["sync"]),
            arguments: ["--to", "my server"],
            workingDirectory: "/home/me",
            environmentNames: ["HOME", "PATH"],
            backgroundTime: .ios13,
            tasks: isWaiting ? [] : [BackgroundTask(id: 1, name: "upload", beganAt: 90)],
            timeEnds: isWaiting ? nil : noon.addingTimeInterval(20),
            delayedUntil: isWaiting ? noon.addingTimeInterval(65) : nil,
            logPath: "/home/me/.local/state/offstage/apps/com.example.dropoff.log",
            suspendsBy: isWaiting ? "freezer" : "signal"
        )
    }

    package static func entry(_ happening: AppEntry.Happening, after seconds: Double = 0) -> AppEntry {
        AppEntry(
            at: Moment(wall: noon.addingTimeInterval(seconds), bootID: "boot", uptime: 100 + seconds),
            happening
        )
    }

    package static func story(_ happenings: AppEntry.Happening...) -> [StoredAppEntry] {
        happenings.enumerated().map { index, happening in
            StoredAppEntry(number: Int64(index + 1), entry: entry(happening, after: Double(index) * 0.25))
        }
    }
}
