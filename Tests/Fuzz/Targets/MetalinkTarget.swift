// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// A Metalink, from any server where a person found it.
enum MetalinkTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let files = try? MetalinkDocument.files(of: Array(bytes)) else { return }
        promise(!files.isEmpty, "a Metalink without a file")
        for file in files {
            promise(file.size.map(ByteCounts.range.contains) ?? true, "a length that no file has")
            guard let name = file.safeName else { continue }
            promise(!name.utf8.contains(UInt8(ascii: "/")) && !name.hasPrefix("."), "a name outside of the folder")
        }
    }
}
