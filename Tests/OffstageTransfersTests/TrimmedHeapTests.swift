// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import COffstageTestSupport
import Glibc
import Testing

/// The cost of allocations after the heap was trimmed (`offstage_trim_heap`).
struct TrimmedHeapTests {
    /// If they were mapped again, each of their 4,096 pages would cause a fault.
    @Test func `blocks as large as a transfer's buffers are not mapped anew each time`() {
        offstage_test_reset_heap()
        offstage_trim_heap()
        fillBlock()
        let before = faults()
        for _ in 0..<16 { fillBlock() }
        #expect(faults() - before < 1024)
    }

    private func fillBlock() {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        // Read back, so that the compiler cannot optimize the block away.
        block.initializeMemory(as: UInt8.self, repeating: 7)
        #expect(block[block.count - 1] == 7)
        block.deallocate()
    }

    /// Page faults of this thread.
    private func faults() -> Int {
        var usage = rusage()
        // `RUSAGE_THREAD`, which Swift's Glibc does not name.
        getrusage(1, &usage)
        return usage.ru_minflt
    }
}
