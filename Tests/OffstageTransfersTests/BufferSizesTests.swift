// SPDX-License-Identifier: Apache-2.0
import OffstageTransfers
import Testing

struct BufferSizesTests {
    @Test(arguments: [false, true], [false, true])
    func `a server that sends no content holds up nobody for longer than one that does`(
        isUpload: Bool,
        isLarge: Bool
    ) {
        let sizes = BufferSizes(isUpload: isUpload, isLarge: isLarge)
        #expect(sizes.receive * BufferSizes.readsInARow <= AttemptPace.turnLimit)
        #expect(sizes.receive >= 16_384 && sizes.send >= 16_384)
    }
}
