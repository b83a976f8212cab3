// SPDX-License-Identifier: Apache-2.0
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
        let application = application
        switch (words.first, words.last) {
        case ("begin", let name?): begin(name, endsOnExpiry: true)
        case ("keep", let name?): begin(name, endsOnExpiry: false)
        case ("begin-unnamed", _): beginUnnamed()
        case ("end", let number?):
            application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: Int(number) ?? 0))
            Log.shared.note("ended \(number)")
        case ("remaining", _): Log.shared.note("remaining \(application.backgroundTimeRemaining)")
        case ("activity", _): beginActivity()
        case ("upload", let file?): DispatchQueue.main.async { Uploads.shared.begin(words[1], file) }
        case ("upload-handled", let file?), ("upload-unheard", let file?):
            DispatchQueue.main.async {
                let isHandled = words[0] == "upload-handled"
                HandledUploads.shared.begin(Int(words[1]) ?? 1, words[2], file, isHandled: isHandled)
            }
        case ("list-handled", let milliseconds?):
            DispatchQueue.main.async {
                HandledUploads.shared.list(ending: Int(words[1]) ?? 0, Int(milliseconds) ?? 0)
            }
        case ("refresh", _):
            DispatchQueue.main.async { Log.shared.note("refresh \(UIApplication.shared.backgroundRefreshStatus)") }
        case ("finish", let milliseconds?): finish(words.count > 2 ? Int(words[1]) ?? 1 : 1, Int(milliseconds) ?? 0)
        case ("two-tasks", _):
            DispatchQueue.main.async {
                TwoTasks.areWanted = true
                note("will run two tasks")
            }
        case ("fetch", let seconds?):
            let interval = Double(seconds) ?? UIApplication.backgroundFetchIntervalNever
            DispatchQueue.main.async { UIApplication.shared.setMinimumBackgroundFetchInterval(interval) }
        case ("set", let value?):
            UserDefaults.standard.set(value, forKey: "order")
            Log.shared.note("set \(value)")
        case ("get", _): Log.shared.note("got \(UserDefaults.standard.string(forKey: "order") ?? "nothing")")
        case ("folders", _): noteFolders()
        case ("hide", _): application.reportVisibility(false)
        case ("show", _): application.reportVisibility(true)
        default: Log.shared.note("does not know '\(words)'")
        }
    }

    private static var application: UIApplication { UIApplication.shared }

    private static func begin(_ name: String, endsOnExpiry: Bool) {
        let application = application
        let box = Box()
        box.task = application.beginBackgroundTask(withName: name) {
            note("expires \(name)")
            if endsOnExpiry { application.endBackgroundTask(box.task) }
        }
        Log.shared.note("began \(name) \(box.task.rawValue)")
    }

    /// Ends a background task on the main queue, keeps working, and logs it; logs something more a second later.
    private static func finish(_ task: Int, _ milliseconds: Int) {
        DispatchQueue.main.async {
            UIApplication.shared.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: task))
            work(milliseconds)
            note("directly after")
            DispatchQueue.main.asyncAfter(deadline: .now() + 1) { note("a second after") }
        }
    }

    /// Writes a document, and logs where its folders are.
    private static func noteFolders() {
        let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)
        let document = documents.first?.appendingPathComponent("note.txt").path ?? ""
        let isKept = FileManager.default.createFile(atPath: document, contents: Data("kept".utf8))
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?.path ?? ""
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first?.path ?? ""
        let group = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.life")?.path ?? ""
        for path in [document, caches, support, NSTemporaryDirectory(), NSHomeDirectory(), group] {
            Log.shared.note("folder \(path)")
        }
        Log.shared.note(isKept ? "kept" : "not kept")
    }

    static func work(_ milliseconds: Int) {
        let end = DispatchTime.now() + .milliseconds(milliseconds)
        while DispatchTime.now() < end {}
    }

    private static func beginUnnamed() {
        let task = application.beginBackgroundTask()
        Log.shared.note("began unnamed \(task.rawValue)")
    }

    private static func beginActivity() {
        let isOver = DispatchSemaphore(value: 0)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "activity") { isExpired in
            Log.shared.note("activity \(isExpired)")
            if isExpired { isOver.signal() } else { isOver.wait() }
            Log.shared.note("activity \(isExpired) returns")
        }
    }

    private final class Box: @unchecked Sendable {
        // Set once, before the handler can be called.
        var task = UIBackgroundTaskIdentifier.invalid
    }
}
