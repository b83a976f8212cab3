// SPDX-License-Identifier: Apache-2.0
import COffstagePage

/// One of the page's own files, which are built into the program.
package struct PageFile: @unchecked Sendable {
    package let path: String
    package let type: String
    /// Constant data of the program, hence `@unchecked`.
    package let bytes: UnsafeRawBufferPointer

    private init?(at index: Int) {
        guard let file = offstage_page_file_at(index)?.pointee else { return nil }
        path = String(cString: file.path)
        type = String(cString: file.type)
        bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
    }

    package static let all: [PageFile] = (0..<offstage_page_file_count()).compactMap(PageFile.init(at:))

    package static func at(_ path: String) -> PageFile? { all.first { $0.path == path } }
}
