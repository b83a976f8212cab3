// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What the engine tells. Every started attempt gets exactly one `ended` or `released`, as its last event.
package enum EngineEvent: Sendable, Equatable {
    /// The head of a response whose body now fills the file; not told for a body of at most 1 MiB from byte 0.
    case receiving(TransferID, attempt: Int, validator: PartialDownload.Validator?, total: Int64?)
    /// Before `receiving`, where the answer is to name the file: a safe name, or nil where it gives none.
    case naming(TransferID, attempt: Int, name: String?)
    /// How far attempts have got: at most every 250 ms, only those that moved.
    case progress([EngineProgress])
    /// The attempt is over; the engine no longer uses its file descriptor. `reached` is the byte of the file up to
    /// which everything has been written, or sent.
    case ended(TransferID, attempt: Int, AttemptResult, reached: Int64)
    /// The attempt was stopped; the engine no longer uses its file descriptor.
    case released(TransferID, attempt: Int)
}
