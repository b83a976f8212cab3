// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// What a daemon that crashed has left behind, for when none runs that could say so itself.
enum CrashChecks {
    static func all(_ paths: OffstagePaths) -> [Finding] {
        guard let bytes = try? FileBytes.read(paths.crashes, limit: 4 << 20),
            let known = try? ForeignJSON.decoder().decode(CrashContainment.self, from: Data(bytes))
        else { return [] }
        // By the wall clock alone: which boot this is changes nothing for a line to be reported.
        let now = Moment(wall: Date(), bootID: "", uptime: 0)
        return known.notices(now: now).map { Finding(.warn, "crash", $0) }
    }
}
