// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An event from the engine. Every started request gets exactly one `ended` or `released`, as its last event.
package enum EngineEvent: Sendable, Equatable {
    /// The head of a response whose body now fills the file, with the content coding that its bytes keep; not sent for a
    /// body of at most 1 MiB from byte 0.
    case receiving(RequestKey, validator: PartialDownload.Validator?, total: Int64?, coding: String? = nil)
    /// Sent after `receiving` if requested, and if the rest of the file may be fetched in pieces; with the length of
    /// the file and the head of the response.
    case divisible(RequestKey, total: Int64, answer: Answer)
    /// The server has delivered a piece, in answer to a request that requires a certain length of its file.
    case answeredBeside(RequestKey, validator: PartialDownload.Validator?)
    /// Sent before `receiving` if the answer should name the file: a safe name, or nil if it gives none.
    case naming(RequestKey, name: String?)
    /// An interim response (104), with its header fields; sent if requested.
    case interim(RequestKey, [HeaderField])
    /// The first byte of the file or body was read for sending, or arrived, that many seconds ago; sent only for a
    /// transfer's first attempt, just before another event about it.
    case firstByte(RequestKey, ago: Double)
    /// The progress of the requests that moved bytes: at most every 250 ms.
    case progress([EngineProgress])
    /// The request is over; the engine no longer uses its file descriptor. `reached` is the byte of the file up to
    /// which everything has been written or sent.
    case ended(RequestKey, AttemptResult, reached: Int64)
    /// The request was stopped; the engine no longer uses its file descriptor.
    case released(RequestKey)
}
