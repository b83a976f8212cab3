// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol

/// An app on stage that follows its flags and the lines of a FIFO, and logs every message it receives.
final class WireApp {
    let socketPath: String
    private let log: Int32
    private let orders: Int32
    let flags: Set<String>
    var view = StageView()
    private var nextTask = 1
    private var link: StageLink?
    /// Connections that the test uses: to the daemon they are this process's.
    private var lent: [StageLink] = []
    private var unread: [UInt8] = []
    private var hasLaunched = false
    private var session: WireSession?

    /// - Parameters:
    ///   - folder: where `log` is written and the FIFO `orders` is.
    ///   - socketPath: the daemon's socket.
    ///   - flags: the differences in its behaviour.
    init(folder: String, socketPath: String, flags: Set<String>) {
        self.socketPath = socketPath
        self.flags = flags
        log = open(folder + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        // Also for writing, so that it never reaches end of file.
        orders = open(folder + "/orders", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    }

    func run() throws -> Never {
        say("started \(getpid())")
        if flags.contains("crashes") { abort() }
        if flags.contains("hangs") { while true { pause() } }
        // Another process of the same program, which is not on stage.
        if flags.contains("helper") { while true { try awaitOrders() } }
        while true {
            if hasLaunched, flags.contains("forgetsTasks") {
                // Waits for the order, then continues as a process that replaces the one that ran them.
                try awaitOrders()
                view.runningTasks = [:]
            }
            while link == nil {
                try connect()
                if link == nil { try awaitOrders(milliseconds: 10) }
            }
            try serve()
        }
    }

    private func connect() throws {
        guard let link = StageLink(path: socketPath), try link.ask(Hello(client: "WireApp")) != nil else { return }
        do {
            guard let reply = try link.ask(AttachApp(view: view)) else { return }
            say("attached \(cause(reply.launch))")
            self.link = link
            if hasLaunched { return }
            hasLaunched = true
            if flags.contains("crashesForSessions"), case .sessionEvents = reply.launch { abort() }
            try report(.launched)
            try move(to: reply.launch.isForeground ? .active : .background)
        } catch let failure as WireFailure {
            say("refused \(failure.code.rawValue)")
            exit(3)
        }
    }

    private func cause(_ cause: LaunchCause) -> String {
        switch cause {
        case .person: "person"
        case .personInBackground: "personInBackground"
        case .sessionEvents(let session): "sessionEvents \(session)"
        case .task(let identifier): "task \(identifier)"
        }
    }

    /// Serves until the daemon is gone.
    private func serve() throws {
        while let link {
            // Frames that came with the last answer have already been read.
            while let frame = try link.buffered() {
                guard frame.name == StageCommand.name else { continue }
                try carryOut(WireCoding.decode(StageCommand.self, from: frame.payload))
            }
            var items = [
                pollfd(fd: link.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: orders, events: Int16(POLLIN), revents: 0),
            ]
            poll(&items, 2, -1)
            if items[1].revents != 0 { try readOrders() }
            guard items[0].revents != 0 else { continue }
            guard link.receive() else {
                say("disconnected")
                self.link = nil
                return
            }
        }
    }

    private func carryOut(_ command: StageCommand) throws {
        switch command {
        case .enterForeground:
            say("enterForeground")
            try move(to: .active)
        case .enterBackground:
            say("enterBackground")
            if flags.contains("hangsInBackground") { return }
            if flags.contains("takesTask") { try begin("finish") }
            try move(to: .background)
        case .backgroundTime(let end):
            say("backgroundTime \(end == nil ? "foreground" : "background")")
        case .expire:
            say("expire")
            if flags.contains("endsAtExpiry") { try endAll() }
            try report(.expired)
        case .handleEvents(let session, _):
            say("handleEvents \(session)")
            view.unhandled.append(session)
            try report(.announced(session: session))
            if !flags.contains("keepsEvents") { try handled(session) }
        case .startTask(let launch, _): try startTask(launch)
        case .expireTask(let number, let expiry): try expireTask(number, expiry)
        case .prepareToSuspend(let number):
            // An app built before this command existed does not know it.
            if flags.contains("knowsNoQuestion") { return }
            try report(.finishing(number))
            if flags.contains("neverReady") { return }
            view.unhandled = []
            try report(.readyToSuspend(number))
        case .memoryWarning: say("memoryWarning")
        case .terminate:
            say("terminate")
            if !flags.contains("staysAtTerminate") { exit(0) }
        }
    }

    // MARK: Orders

    private func awaitOrders(milliseconds: Int32 = -1) throws {
        var item = pollfd(fd: orders, events: Int16(POLLIN), revents: 0)
        poll(&item, 1, milliseconds)
        try readOrders()
    }

    private func readOrders() throws {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(orders, &bytes, bytes.count)
        if count > 0 { unread += bytes[..<count] }
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            let words = String(decoding: unread[..<end], as: UTF8.self).split(separator: " ").map(String.init)
            unread.removeSubrange(...end)
            try obey(words)
        }
    }

    private func obey(_ words: [String]) throws {
        let word = words.dropFirst().first ?? ""
        switch words.first {
        case "begin": try begin(word)
        case "end": try end(word)
        case "handled": try handled(word)
        case "connect": lend()
        case "upload": try upload(words)
        case "complete": try completeTask(UInt64(word) ?? 0, success: words.dropFirst(2).first != "failure")
        case "progress":
            let numbers = words.dropFirst(2).map { Int($0) ?? 0 } + [0, 0]
            try reportProgress(UInt64(word) ?? 0, Int64(numbers[0]), length: numbers[1])
        case "exit": exit(Int32(word) ?? 0)
        case "return": break
        case "crash": abort()
        default: say("unknown order")
        }
    }

    private func lend() {
        guard let link = StageLink(path: socketPath) else { return say("no daemon") }
        lent.append(link)
        say("connected \(link.descriptor)")
    }

    /// `upload SESSION FILE URL COUNT`
    private func upload(_ words: [String]) throws {
        let home = getenv("OFFSTAGE_HOME").map { String(cString: $0) } ?? ""
        let session = try session ?? WireSession(words[1], environment: ["OFFSTAGE_HOME": home])
        self.session = session
        try session.upload(words[2], to: words[3], count: Int(words[4]) ?? 1)
        say("uploading")
    }

    private func begin(_ name: String) throws {
        let task = BackgroundTask(id: nextTask, name: name, beganAt: Self.uptime())
        nextTask += 1
        view.tasks.append(task)
        try report(.beganTask(task))
        say("began \(name)")
    }

    private func end(_ name: String) throws {
        guard let index = view.tasks.firstIndex(where: { $0.name == name }) else { return say("no task \(name)") }
        // Logged first: the app may be stopped right after the report.
        say("ending \(name)")
        try report(.endedTask(view.tasks.remove(at: index).id))
    }

    private func endAll() throws {
        for task in view.tasks { try end(task.name) }
    }

    private func handled(_ session: String) throws {
        view.unhandled.removeAll { $0 == session }
        say("handled \(session)")
        try report(.handled(session: session))
    }

    private func move(to state: LifeState) throws {
        view.state = state
        // Logged first: the app may be stopped right after the report.
        say("state \(state.rawValue)")
        try report(.state(state))
    }

    func report(_ report: StageReport) throws { try link?.report(report) }

    /// Logs a line with the time on `CLOCK_BOOTTIME`, in one write.
    func say(_ text: String) {
        let line = Array("\(Self.uptime()) \(text)\n".utf8)
        _ = write(log, line, line.count)
    }

    private static func uptime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
