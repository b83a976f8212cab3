// SPDX-License-Identifier: Apache-2.0
// `os_log` with its arguments in the orders that apps use.
import Foundation
import os.log

private let transferLog = OSLog(subsystem: "com.example.app", category: "transfer")

extension OSLog {
    static let ui = OSLog(subsystem: "com.example.app", category: "ui")
}

protocol Log {
    func write(_ message: String, type: OSLogType)
}

struct SystemLog: Log {
    func write(_ message: String, type: OSLogType) { os_log("%{public}@", log: transferLog, type: type, message) }
}

func olderLog(_ error: any Error, url: URL, name: NSString, count: Int, fraction: Double) {
    os_log("plain")
    os_log("plain", type: .debug)
    os_log("plain, 100%%", log: .default, type: .info)
    os_log("%@ failed: %{public}@", log: .ui, type: .error, url.absoluteString, error.localizedDescription)
    os_log("%{public}@", log: transferLog, type: .fault, error as NSError)
    os_log("%d of %lu, %.2f %{private}s", log: .ui, type: .info, count, UInt(4), fraction, "text")
    os_log("%{public}@ %{time_t}d %{bool}d", log: .ui, name, time(nil), 1)
    os_log("%{public}s:%d", log: OSLog.default, type: .default, #function, #line)
    os_log(.info, log: transferLog, "first the type: %{public}@", url.path)
    os_log(.error, "no log: %d", count)
    os_log(.error, "with a value: \(count) \(url.path, privacy: .public)")
    os_log("with a value: \(fraction, format: .fixed(precision: 1))")
    os_log(.debug, log: .disabled, "with a value: \(count)")
    let type: OSLogType = count > 3 ? .info : .default
    os_log("%{public}@", log: .ui, type: type, String(describing: type.rawValue))
}
