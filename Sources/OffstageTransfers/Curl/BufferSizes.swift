// SPDX-License-Identifier: Apache-2.0

/// How many bytes libcurl receives and sends at once.
package struct BufferSizes: Sendable {
    package let receive: Int
    package let send: Int

    /// With this size, a download takes a quarter less CPU than with 256 KiB.
    private static let large = 2_097_152
    private static let small = 65_536
    private static let smallest = 16_384

    /// - Parameters:
    ///   - isUpload: whether the request has a body.
    ///   - isLarge: whether to save CPU at the cost of memory.
    package init(isUpload: Bool, isLarge: Bool) {
        receive = isUpload ? Self.smallest : isLarge ? Self.large : Self.small
        send = isLarge ? Self.large : Self.smallest
    }
}
