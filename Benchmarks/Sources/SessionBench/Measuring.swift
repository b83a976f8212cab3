// SPDX-License-Identifier: Apache-2.0
import Offstage

/// Seconds on CLOCK_MONOTONIC, which other processes read too.
func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Prints an object as one line of JSON.
func report(_ values: [String: Any]) throws {
    let line = try JSONSerialization.data(withJSONObject: values, options: [.sortedKeys])
    FileHandle.standardOutput.write(line + Data("\n".utf8))
}

func makeURL(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw BenchError(text: "\(text) is no URL") }
    return url
}

struct BenchError: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
}

func makeSession(_ identifier: String, _ delegate: (any URLSessionDelegate)?) -> URLSession {
    URLSession(
        configuration: .background(withIdentifier: identifier),
        delegate: delegate,
        delegateQueue: nil
    )
}
