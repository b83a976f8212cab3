// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCommands
import OffstageCore

/// One JSON line of a submitted list (docs/fleet.md). The command line supplies the values that it leaves out.
package struct FleetLine: Decodable, Sendable, Equatable {
    package var path: String
    package var url: String?
    package var method: String?
    package var headers: [String: String]?
    /// The caller's name for the row, under which it is submitted only once.
    package var key: String?
    package var label: String?
    /// 0 to 1.
    package var priority: Double?
    package var queue: String?
    package var on: [String]?
    package var begin: String?
    /// The file's size and time of change (nanoseconds since 1970), if this machine does not see it.
    package var bytes: Int64?
    package var modifiedNs: Int64?

    /// The most bytes of a key.
    package static let longestKey = 200

    /// The most bytes of a label.
    package static let longestLabel = 1000

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case path, url, method, headers, key, label, priority, queue, on, begin, bytes, modifiedNs
    }

    /// Accepts any key, so misspelled keys are detected.
    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// - Throws: `UsageError` that names the line.
    package init(_ text: String, number: Int) throws(UsageError) {
        do {
            self = try ForeignJSON.decode(FleetLine.self, from: text.utf8, values: 1000)
        } catch let error as UsageError {
            throw UsageError("line \(number) of standard input: \(error.message)")
        } catch {
            throw UsageError(
                "line \(number) of standard input is no JSON object with a path, as docs/fleet.md describes it"
            )
        }
    }

    package init(from decoder: any Decoder) throws {
        var present: Set<CodingKeys> = []
        for name in try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue) {
            guard let key = CodingKeys(rawValue: name) else {
                let known = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("there is no key '\(name.redactedControls)'; there are \(known)")
            }
            present.insert(key)
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Few keys are present, and looking for an absent key costs as much as reading one.
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            present.contains(key) ? try container.decodeIfPresent(Value.self, forKey: key) : nil
        }
        path = try container.decode(String.self, forKey: .path)
        (url, method, headers) = (try value(.url), try value(.method), try value(.headers))
        (key, label, priority) = (try value(.key), try value(.label), try value(.priority))
        (queue, on, begin) = (try value(.queue), try value(.on), try value(.begin))
        (bytes, modifiedNs) = (try value(.bytes), try value(.modifiedNs))
        try check()
    }

    private func check() throws(UsageError) {
        if let key, key.isEmpty || key.utf8.count > Self.longestKey {
            throw UsageError("a key has 1 to \(Self.longestKey) bytes")
        }
        if let label, label.utf8.count > Self.longestLabel {
            throw UsageError("a label has at most \(Self.longestLabel) bytes")
        }
        // PostgreSQL does not allow NUL in text.
        if [path, url, method, key, label, begin].contains(where: { $0?.utf8.contains(0) == true }) {
            throw UsageError("a text has a NUL character")
        }
        if let priority, !(0...1).contains(priority) { throw UsageError("a priority is from 0 to 1") }
        if let queue, !FleetText.isName(queue) {
            throw UsageError("'\(queue.redactedControls)' cannot be the name of a queue")
        }
        if let on, FleetLabels(on, most: FleetLabels.mostOfRow) == nil {
            throw UsageError("\"on\" has at most \(FleetLabels.mostOfRow) labels such as site=seoul")
        }
        if let bytes, !ByteCounts.range.contains(bytes) { throw UsageError("\"bytes\" is not the size of a file") }
        guard (bytes == nil) == (modifiedNs == nil) else {
            throw UsageError("\"bytes\" and \"modifiedNs\" belong together")
        }
    }
}
