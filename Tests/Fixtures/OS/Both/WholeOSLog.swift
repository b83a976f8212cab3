// SPDX-License-Identifier: Apache-2.0
// Imports only OSLog, which re-exports Foundation and os.
import OSLog

struct Transfer {
    private static let logger = Logger(subsystem: "com.example.app", category: "transfer")
    private static let log = OSLog(subsystem: "com.example.app", category: .pointsOfInterest)
    let url: URL

    func run() {
        Self.logger.info("\(url.absoluteString, privacy: .public)")
        os_log(.info, log: Self.log, "running %{public}@", url.absoluteString)
        let level: OSLogType = .debug
        if Self.log.isEnabled(type: level) { os_log("enabled", log: Self.log, type: level) }
        os.Logger(Self.log).debug("by the other name")
    }
}
