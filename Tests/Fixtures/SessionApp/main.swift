// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage

// Reads one order per line: `upload FILE URL`, `download URL FILE`, `tasks`, `cancel NUMBER`, `stop NUMBER`,
// `delegates`, `invalidate`, `abandon`, `quit`.

setvbuf(stdout, nil, Int32(_IOLBF), 0)
let manager = TransferManager.shared
/// A session that has only completion handlers.
let undelegated = URLSession(
    configuration: .background(withIdentifier: "org.example.handled"),
    delegate: nil,
    delegateQueue: nil
)

func obey(_ words: [String]) {
    switch (words.first, words.count) {
    case ("upload", 3):
        guard let url = URL(string: words[2]) else { return }
        let task = manager.upload(URL(fileURLWithPath: words[1]), to: url)
        task.resume()
        manager.report("resumed \(task.taskIdentifier)")
    case ("download", 3):
        guard let url = URL(string: words[1]) else { return }
        let task = manager.download(url, to: URL(fileURLWithPath: words[2]))
        task.resume()
        manager.report("resumed \(task.taskIdentifier)")
    case ("tasks", _):
        manager.session.getAllTasks { tasks in
            let list = tasks.map { "\($0.taskIdentifier):\($0.taskDescription ?? ""):\($0.state.rawValue)" }
            manager.report("tasks \(tasks.count) \(list.joined(separator: " "))")
        }
    case ("cancel", 2):
        manager.session.getAllTasks { tasks in
            tasks.first { "\($0.taskIdentifier)" == words[1] }?.cancel()
        }
    case ("stop", 2):
        manager.session.getAllTasks { tasks in
            guard let task = tasks.first(where: { "\($0.taskIdentifier)" == words[1] }) as? URLSessionDownloadTask
            else { return manager.report("no download \(words[1])") }
            task.cancel(byProducingResumeData: { data in manager.report("stopped with \(data?.count ?? 0)") })
        }
    case ("delegates", _):
        guard let url = URL(string: "http://127.0.0.1:1/") else { return }
        // Twice, and of both kinds: it is reported once.
        for _ in 0..<2 {
            manager.session.downloadTask(with: url).delegate = manager
            let file = URL(fileURLWithPath: "/")
            manager.session.uploadTask(with: URLRequest(url: url), fromFile: file).delegate = manager
        }
        manager.report("given")
    case ("invalidate", _): manager.session.finishTasksAndInvalidate()
    case ("abandon", _): manager.session.invalidateAndCancel()
    case ("progress", _):
        manager.session.getAllTasks { tasks in
            for task in tasks { manager.report("progress \(task.taskIdentifier) \(task.countOfBytesSent)") }
        }
    case ("handled", 4):
        guard let url = URL(string: words[3]) else { return }
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        for _ in 0..<(Int(words[1]) ?? 0) {
            let file = URL(fileURLWithPath: words[2])
            let task = undelegated.uploadTask(with: request, fromFile: file) { _, response, _ in
                manager.report("handler \((response as? HTTPURLResponse)?.statusCode ?? 0)")
            }
            task.resume()
        }
        manager.report("handed over")
    case ("handled-rest", _): waitForRest()
    case ("die", _): kill(getpid(), SIGKILL)
    case ("quit", _): exit(0)
    default: manager.report("unknown \(words)")
    }
}

/// Waits until the session without a delegate has no tasks.
func waitForRest() {
    undelegated.getAllTasks { tasks in
        if tasks.isEmpty { return manager.report("handled all") }
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { waitForRest() }
    }
}

let reader = Thread {
    _ = manager.session
    while let line = readLine() {
        obey(line.split(separator: " ").map { String($0) })
    }
}
reader.start()
RunLoop.main.run()
