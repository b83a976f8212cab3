// SPDX-License-Identifier: Apache-2.0
import OffstageBackgroundTasks
import OffstageUIKit

/// The test's orders for the app: lines from `FOLDER/orders`, read and carried out on their own thread.
enum Orders {
    static func listen() {
        let path = CommandLine.arguments[1] + "/orders"
        let thread = Thread {
            guard let file = fopen(path, "r+") else { return }
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            while getline(&line, &capacity, file) > 0, let line {
                carryOut(String(cString: line).split(whereSeparator: \.isWhitespace).map(String.init))
            }
        }
        thread.start()
    }

    private static func carryOut(_ words: [String]) {
        let handlers = Handlers.shared
        let rest = Array(words.dropFirst())
        switch words.first {
        case "register": handlers.register(rest[0], rest[1])
        case "submit": handlers.submit(rest)
        case "submit-newly": handlers.submitNewly(rest, isAsync: false)
        case "submit-async": handlers.submitNewly(rest, isAsync: true)
        case "pending": handlers.listPending()
        case "pending-async": handlers.listPendingNewly()
        case "complete": handlers.complete(rest.first != "false")
        case "progress": handlers.progress(Int64(rest[0]) ?? 0, Int64(rest[1]) ?? 0)
        case "title": handlers.title(rest[0], rest[1])
        case "cancel":
            BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: rest[0])
            Log.shared.note("cancelled \(rest[0])")
        case "session": Sessions.shared.open(rest[0])
        case "submit-on-main": DispatchQueue.main.async { handlers.submit(Array(rest)) }
        case "cancel-all":
            BGTaskScheduler.shared.cancelAllTaskRequests()
            Log.shared.note("cancelled all")
        default: Log.shared.note("does not know '\(words)'")
        }
    }
}
