// SPDX-License-Identifier: Apache-2.0
// Logging in classes and closures from before Swift concurrency.
import Foundation
import os

class DownloadManager: NSObject {
    static let shared = DownloadManager()
    var handlers: [Int: () -> Void] = [:]
    let logger = Logger(subsystem: "com.example.app", category: "downloads")
    let lock = OSAllocatedUnfairLock(uncheckedState: [Int: () -> Void]())

    func start(_ identifier: Int, completion: @escaping () -> Void) {
        lock.withLock { $0[identifier] = completion }
        DispatchQueue.global().async { [weak self] in
            guard let self = self else { return }
            self.logger.info("started \(identifier) of \(self.handlers.count), \(String(describing: self.handlers[4]))")
            os_log("started %d", log: .default, type: .info, identifier)
        }
    }
}
