// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What people are told of a body that cannot be decoded.
extension BodyDecoder {
    /// - Parameter server: as people call it.
    /// - Returns: the failure.
    static func tooManyCodings(of server: String) -> TransferFailure {
        .init(
            .badServerResponse,
            "\(server) has compressed its answer more than \(mostCodings) times, one after the other"
        )
    }
}

extension BodyDecoder.Problem {
    /// - Parameter server: as people call it.
    /// - Returns: the failure.
    func failure(of server: String) -> TransferFailure {
        switch self {
        case .damaged: .init(.badServerResponse, "the compressed answer of \(server) is damaged")
        case .noMemory: CurlAttempt.noMemory
        case .library(let code): .init(.internalError, "zlib ended with code \(code)")
        }
    }
}
