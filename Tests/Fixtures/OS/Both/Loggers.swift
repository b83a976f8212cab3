// SPDX-License-Identifier: Apache-2.0
// `Logger` as apps write it.
import Foundation
import os

extension Logger {
    private static let subsystem = Bundle.main.bundleIdentifier ?? "com.example.app"
    static let network = Logger(subsystem: subsystem, category: "network")
    static let uploads = Logger(subsystem: subsystem, category: String(describing: UploadStore.self))
}

let defaultLog = Logger()
let logger = os.Logger(OSLog(subsystem: "com.example.app", category: "main"))

enum UploadError: Error, LocalizedError {
    case refused(status: Int)
    var errorDescription: String? { "refused" }
}

struct Progress: CustomStringConvertible {
    var description: String { "3 of 4" }
}

actor UploadStore {
    private let name: String
    private var count = 0
    private let log = Logger(subsystem: "com.example.app", category: "store")

    init(name: String) { self.name = name }

    func upload(_ url: URL, attempt: Int, speed: Double) {
        count += 1
        log.info("Store \(self.name) has \(self.count) uploads; \(Progress())")
        log.debug("\(#function): \(url.absoluteString, privacy: .private(mask: .hash)) attempt \(attempt)")
        log.notice("\(attempt, format: .decimal(minDigits: 3)) \(speed, format: .fixed(precision: 2)) MB/s")
        log.warning("\(url.path, align: .left(columns: 40), privacy: .public) is slow: \(speed, privacy: .public)")
    }
}

@MainActor
final class Screen {
    var title = "start"
    let identifier = UUID()
    let logger = Logger(subsystem: "com.example.app", category: "screen")

    func appear(in size: CGFloat, with error: (any Error)?) {
        logger.trace("appear")
        logger.log("\(self.title, privacy: .public) \(size) \(self.identifier, privacy: .public)")
        logger.log(level: .error, "\(error?.localizedDescription ?? "none", privacy: .public)")
        logger.log(level: error == nil ? .default : .fault, "\(UInt64.max, format: .hex(includePrefix: true))")
        if let error { logger.error("failed: \(error)") }
        if let error = error as NSError? { logger.error("failed: \(error, privacy: .public) \(error.code)") }
        logger.critical("\(true, format: .answer) \(Int32(2), format: .darwinErrno) \(1_500_000, format: .byteCount)")
        logger.fault("\(String(describing: Screen.self), privacy: .sensitive) \(type(of: self), privacy: .public)")
        logger.info("\(NSNumber(value: 4)) \([1, 2]) \(["a": 1]) \(Date(), privacy: .auto) \("literal")")
    }
}

func multipleLines(_ url: URL, _ response: HTTPURLLike) {
    Logger.network.info(
        """
        \(response.statusCode, privacy: .public) of \(url, privacy: .private)
        """
    )
    Task { Logger.uploads.info("later: \(url.lastPathComponent, privacy: .public)") }
}

struct HTTPURLLike: Sendable {
    var statusCode: Int
}
