// SPDX-License-Identifier: Apache-2.0
// Signposts as apps write them.
import Foundation
import os.signpost

private let signposter = OSSignposter(subsystem: "com.example.app", category: .pointsOfInterest)
private let log = OSLog(subsystem: "com.example.app", category: "decoding")

func decode(_ pages: Int) async throws -> Int {
    let id = signposter.makeSignpostID()
    let state = signposter.beginInterval("Decode", id: id, "\(pages) pages")
    defer { signposter.endInterval("Decode", state) }
    signposter.emitEvent("Opened", id: id)
    let half = signposter.withIntervalSignpost("Half", id: id) { pages / 2 }
    signposter.endInterval("Decode", state, "\(half, privacy: .public) done")
    return half
}

func older(_ object: NSObject, name: String) {
    let id = OSSignpostID(log: log, object: object)
    os_signpost(.begin, log: log, name: "Older", signpostID: id, "%{public}@ %d", name, 4)
    os_signpost(.event, log: log, name: "Older")
    os_signpost(.end, log: log, name: "Older", signpostID: OSSignpostID(log: log))
    os_signpost(.end, log: log, name: "Older", signpostID: .exclusive, "done")
}

struct Timeline {
    let signposter: OSSignposter = ProcessInfo.processInfo.environment["TRACE"] == nil ? .disabled : OSSignposter()
    var interval: OSSignpostIntervalState?

    mutating func begin() { interval = signposter.beginInterval("Frame") }

    mutating func end() {
        if let interval { signposter.endInterval("Frame", interval) }
        interval = nil
    }
}
