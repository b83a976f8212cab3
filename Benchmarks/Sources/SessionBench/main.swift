// SPDX-License-Identifier: Apache-2.0
import Offstage

// session-bench submit IDENTIFIER COUNT URL FILE    hands so many uploads over in one go
// session-bench attach IDENTIFIER                   makes the session again and asks for its tasks
// session-bench pages SOCKET IDENTIFIER             the same, page by page over the socket
// session-bench latency IDENTIFIER COUNT URL FILE   one task after the other, and when its delegate was told
//
// Each prints one line of JSON. Times are in seconds on CLOCK_MONOTONIC.

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("submit", 5):
        try await Submission.run(arguments[1], count: Int(arguments[2]) ?? 0, url: arguments[3], file: arguments[4])
    case ("attach", 2): try await Attachment.run(arguments[1])
    case ("pages", 3): try Pages.run(socket: arguments[1], identifier: arguments[2])
    case ("latency", 5):
        try Latency.run(arguments[1], count: Int(arguments[2]) ?? 0, url: arguments[3], file: arguments[4])
    default:
        FileHandle.standardError.write(Data("usage: see the head of main.swift\n".utf8))
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("session-bench: \(error)\n".utf8))
    exit(1)
}
