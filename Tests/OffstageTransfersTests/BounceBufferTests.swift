// SPDX-License-Identifier: Apache-2.0
import OffstageTransfers
import Testing

struct BounceBufferTests {
    /// Calls `body` with random bytes at the given offset in a page.
    private func withBytes(at offset: Int, count: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096 + count, alignment: 4096)
        defer { memory.deallocate() }
        for index in memory.indices { memory[index] = UInt8.random(in: .min ... .max) }
        try body(UnsafeRawBufferPointer(rebasing: memory[offset..<offset + count]))
    }

    @Test func `a copy is slow from 1 to 31 bytes before its place in a page, whichever pages these are`() {
        for distance in 0..<4096 {
            let isSlow = BounceBuffer.isSlow(from: 7 * 4096 + 4000, to: Int64(3 * 4096 + 4000 + distance))
            #expect(isSlow == (1...31).contains(distance), "\(distance)")
        }
    }

    @Test(arguments: [.min, -1, 0, .max] as [Int64], [0, 1, .max] as [UInt])
    func `no address and no position traps`(position: Int64, address: UInt) {
        let distance = (UInt(bitPattern: Int(position)) &- address) & 4095
        #expect(BounceBuffer.isSlow(from: address, to: position) == (1...31).contains(distance))
    }

    @Test(arguments: [0, 1, 16, 2048, 4065, 4095], [1024, 5000, BounceBuffer.capacity])
    func `what would be slow is moved, byte for byte, to where it is not`(offset: Int, count: Int) {
        let buffer = BounceBuffer()
        withBytes(at: offset, count: count) { bytes in
            for distance in 0..<64 {
                let position = Int64(5 * 4096 + offset + distance)
                let source = buffer.source(of: bytes, writtenAt: position)
                #expect(source.elementsEqual(bytes))
                #expect((source.baseAddress == bytes.baseAddress) == !(1...31).contains(distance), "\(distance)")
                #expect(!BounceBuffer.isSlow(from: UInt(bitPattern: source.baseAddress), to: position))
            }
        }
    }

    @Test(arguments: [0, 1, 1023, 16_385, 65_536])
    func `little and much stay where they are`(count: Int) {
        let buffer = BounceBuffer()
        withBytes(at: 0, count: count) { bytes in
            #expect(buffer.source(of: bytes, writtenAt: 1).baseAddress == bytes.baseAddress)
        }
    }

    @Test func `nothing stays nothing`() {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(BounceBuffer().source(of: nothing, writtenAt: 1).isEmpty)
    }
}
