// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTransfers

extension DaemonServer {
    /// The failure that reports an error to a client.
    static func failure(for error: any Error) -> WireFailure {
        switch error {
        case let failure as WireFailure: failure
        case let error as QueueError:
            switch error {
            case .notFound: WireFailure(.notFound, error.sentence)
            case .notApplicable: WireFailure(.notApplicable, error.sentence)
            case .stopping: WireFailure(.shuttingDown, error.sentence)
            }
        case let error as StoreError: WireFailure(.store, error.sentence)
        case let error as RequestError: WireFailure(.badRequest, error.sentence)
        case let problem as JSONShape.Problem: WireFailure(.badRequest, problem.sentence)
        case is DecodingError:
            WireFailure(.badRequest, "The request cannot be read: it is damaged or from another version.")
        default: WireFailure(.internalError, "The daemon could not do that: \(error).")
        }
    }
}
