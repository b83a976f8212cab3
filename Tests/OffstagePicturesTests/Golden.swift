// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

/// Pictures that were looked at once. `OFFSTAGE_WRITE_GOLDEN=1 swift test --filter OffstagePicturesTests` draws them anew, to
/// be looked at again.
enum Golden {
    static func expect(_ name: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let path = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Golden/\(name)"
        if ProcessInfo.processInfo.environment["OFFSTAGE_WRITE_GOLDEN"] == "1" {
            try Data(text.utf8).write(to: URL(filePath: path))
        }
        let known = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        #expect(known == text, "\(name) is drawn differently", sourceLocation: sourceLocation)
    }
}
