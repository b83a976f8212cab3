// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Checks for traces of a crashed daemon, if no running daemon could report them.
enum CrashChecks {
    static func all(_ paths: OffstagePaths) -> [Finding] {
        guard let bytes = try? FileBytes.read(paths.crashes, limit: 4 << 20),
            let known = try? ForeignJSON.decoder().decode(CrashContainment.self, from: Data(bytes))
        else { return [] }
        // Only the wall clock matters, as the boot makes no difference to the reported line.
        let now = Moment(wall: Date(), bootID: "", uptime: 0)
        return known.notices(now: now).map { Finding(.warn, "crash", $0) }
    }
}
