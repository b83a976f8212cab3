// SPDX-License-Identifier: Apache-2.0
import Offstage

/// How long it takes until a session that is made again has its tasks.
enum Attachment {
    static func run(_ identifier: String) async throws {
        let began = now()
        let session = makeSession(identifier, nil)
        let tasks = await session.allTasks
        let all = now() - began
        let described = tasks.filter { $0.originalRequest != nil }.count
        try report([
            "count": tasks.count, "all": all, "described": described, "withRequests": now() - began,
        ])
    }
}
