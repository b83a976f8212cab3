// SPDX-License-Identifier: Apache-2.0

/// How many bytes libcurl receives and sends at once.
package struct BufferSizes: Sendable {
    package let receive: Int
    package let send: Int

    /// How often libcurl fills its buffer before anything else runs, if a server sends faster than it reads. It hands
    /// nothing over meanwhile if nothing is content, as with extensions of a chunk, so that only the buffer's size
    /// bounds how long the other transfers wait.
    package static let readsInARow = 100
    private static let huge = 2_097_152
    private static let large = 262_144
    private static let small = 65_536
    private static let smallest = 16_384

    /// - Parameters:
    ///   - isUpload: whether the request has a body.
    ///   - isLarge: whether CPU is saved at the cost of memory.
    package init(isUpload: Bool, isLarge: Bool) {
        receive = isUpload ? Self.smallest : isLarge ? Self.large : Self.small
        send = isLarge ? Self.huge : Self.smallest
    }
}
