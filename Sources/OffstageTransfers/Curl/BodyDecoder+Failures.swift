// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The failures reported for a body that cannot be decoded.
extension BodyDecoder {
    /// - Parameter server: the server's name for display.
    /// - Returns: the failure.
    static func tooManyCodings(of server: String) -> TransferFailure {
        .init(
            .badServerResponse,
            "\(server) has compressed its answer more than \(mostCodings) times, one after the other"
        )
    }
}

extension BodyDecoder.Problem {
    /// - Parameter server: the server's name for display.
    /// - Returns: the failure.
    func failure(of server: String) -> TransferFailure {
        switch self {
        case .damaged: .init(.badServerResponse, "the compressed answer of \(server) is damaged")
        case .noMemory: CurlAttempt.noMemory
        case .library(let code): .init(.internalError, "zlib ended with code \(code)")
        }
    }
}
