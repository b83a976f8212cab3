// SPDX-License-Identifier: Apache-2.0
import Offstage

/// Hands uploads over as fast as it goes: how long each `resume()` held its caller, and when all were on the disk.
enum Submission {
    static func run(_ identifier: String, count: Int, url: String, file: String) async throws {
        let session = makeSession(identifier, nil)
        _ = await session.allTasks
        let body = URL(fileURLWithPath: file)
        var request = URLRequest(url: try makeURL(url))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer 0123456789abcdef0123456789abcdef", forHTTPHeaderField: "Authorization")
        var latencies = [Double](repeating: 0, count: count)
        let began = now()
        for number in 0..<count {
            let task = session.uploadTask(with: request, fromFile: body)
            task.taskDescription = "event-\(number)"
            let before = now()
            task.resume()
            latencies[number] = now() - before
        }
        let handedOver = now() - began
        await withCheckedContinuation { continuation in session.flush { continuation.resume() } }
        let durable = now() - began
        latencies.sort()
        func percentile(_ part: Double) -> Double { latencies[min(count - 1, Int(Double(count) * part))] }
        try report([
            "count": count, "handedOver": handedOver, "durable": durable,
            "p50": percentile(0.5), "p99": percentile(0.99), "p999": percentile(0.999), "max": latencies[count - 1],
        ])
    }
}
