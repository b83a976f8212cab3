// SPDX-License-Identifier: Apache-2.0
import OffstageTransfers
import Testing

struct BufferSizesTests {
    @Test(arguments: [false, true], [false, true])
    func `only what is large gets large buffers`(isUpload: Bool, isLarge: Bool) {
        let sizes = BufferSizes(isUpload: isUpload, isLarge: isLarge)
        #expect((sizes.receive > 65_536) == (isLarge && !isUpload))
        #expect((sizes.send > 65_536) == isLarge)
        #expect(sizes.receive >= 16_384 && sizes.send >= 16_384)
    }
}
