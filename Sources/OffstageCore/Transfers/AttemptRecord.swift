// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// One attempt in a transfer's history.
package struct AttemptRecord: Sendable, Equatable, Codable {
    @Within<Counts> package var number: Int
    package var startedAt: Date
    package var endedAt: Date
    /// The bytes at which it began and ended.
    @Within<ByteCounts> package var fromByte: Int64
    @Within<ByteCounts> package var toByte: Int64
    /// How the attempt failed; nil for an answer that ended the transfer.
    package var failure: TransferFailure?

    package init(
        number: Int,
        startedAt: Date,
        endedAt: Date,
        fromByte: Int64,
        toByte: Int64,
        failure: TransferFailure?
    ) {
        self.number = number
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.fromByte = fromByte
        self.toByte = toByte
        self.failure = failure
    }
}
