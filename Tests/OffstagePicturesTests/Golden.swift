// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

/// Pictures that people have checked. `OFFSTAGE_WRITE_GOLDEN=1 swift test --filter OffstagePicturesTests` redraws
/// them, to be checked again.
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
