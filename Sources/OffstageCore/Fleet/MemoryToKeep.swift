// SPDX-License-Identifier: Apache-2.0

/// The memory that a transfer's keeper should keep, as an event to its connection.
package struct MemoryToKeep: Codable, Sendable, Equatable {
    package static let name = "keep"

    /// Identifies it in the answer (`fleet.kept`). Increases while the daemon lives.
    @Within<Counts> package var number: Int
    package var id: TransferID
    /// The row, and the fence under which to keep it.
    package var keeper: TransferKeeper
    /// The data that another machine needs to continue (`TransferSpec.keptUpload`); nil if there is nothing to
    /// remember.
    package var memory: Base64Bytes?
    /// Bytes of the file that the server has acknowledged.
    @Within<ByteCounts> package var bytesDone: Int64
    /// Whether the attempt has sent nothing yet.
    package var isFirst: Bool
    /// Whether a request waits for the answer. If not, it is already under way, and the server has meanwhile announced
    /// where it can be continued.
    package var isAwaited: Bool

    package init(
        number: Int,
        id: TransferID,
        keeper: TransferKeeper,
        memory: Base64Bytes?,
        bytesDone: Int64,
        isFirst: Bool,
        isAwaited: Bool
    ) {
        self.number = number
        self.id = id
        self.keeper = keeper
        self.memory = memory
        self.bytesDone = bytesDone
        self.isFirst = isFirst
        self.isAwaited = isAwaited
    }
}
