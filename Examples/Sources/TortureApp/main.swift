// SPDX-License-Identifier: Apache-2.0
import Foundation

// TortureApp FOLDER PLAN
//
// Hands over every task of the plan that no earlier launch has begun to hand over, and runs until all have ended. It
// may be killed at any moment and launched again. Its log is FOLDER/app.log, with one write(2) per line.

guard CommandLine.arguments.count == 3 else {
    print("usage: TortureApp FOLDER PLAN")
    exit(64)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let plan = try Plan(contentsOf: URL(fileURLWithPath: CommandLine.arguments[2]))
let log = try AppLog(at: folder.appendingPathComponent("app.log").path)
let bookkeeping = Bookkeeping(log.earlierLines)
log.note("launch \(ProcessInfo.processInfo.processIdentifier)")

let delegate = TortureDelegate(plan: plan, log: log, bookkeeping: bookkeeping)
let configuration = URLSessionConfiguration.background(withIdentifier: "torture")
configuration.httpMaximumConnectionsPerHost = 8
let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
session.getAllTasks { tasks in
    for task in tasks {
        // A task that is being created at this moment has no name yet.
        guard let name = task.taskDescription else { continue }
        bookkeeping.began(name)
        log.note("attached \(name) \(task.taskIdentifier)")
    }
}

for item in plan.items where !bookkeeping.begunEarlier.contains(item.name) {
    // At a pace like a phone's user, not all in the same millisecond.
    Thread.sleep(forTimeInterval: item.pause)
    bookkeeping.began(item.name)
    log.note("resuming \(item.name)")
    let task = try item.makeTask(in: session)
    task.taskDescription = item.name
    task.resume()
    log.note("resumed \(item.name) \(task.taskIdentifier)")
}

session.getAllTasks { _ in
    if bookkeeping.handedAllOver() { session.finishTasksAndInvalidate() }
}
dispatchMain()
