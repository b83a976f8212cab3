// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageTestSupport
import Testing

@Suite struct UnusedCodeTests {
    /// The resident size of mapped files, in KiB.
    private func mapped() throws -> Int {
        let line = try TestFiles.text("/proc/self/status").split(separator: "\n").first { $0.hasPrefix("RssFile:") }
        return try #require(line?.split(separator: " ").compactMap { Int($0) }.first)
    }

    @Test func `code that nobody is using is unmapped, and comes back when it is used`() throws {
        let before = try mapped()
        offstage_unmap_unused_code()
        #expect(try mapped() < before)
        #expect("still here".uppercased() == "STILL HERE")
    }
}
