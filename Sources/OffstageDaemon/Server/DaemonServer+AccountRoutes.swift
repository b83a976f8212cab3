// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The requests of accounts: decode, one call, encode.
extension DaemonServer {
    /// Nil for a request that is not about accounts.
    func accountRoute(_ frame: WireFrame) async throws -> RouteAnswer? {
        func decode<Request: WireRequest>(_ type: Request.Type) throws -> Request {
            try WireCoding.decode(type, from: frame.payload)
        }
        func answer(_ reply: some Encodable) throws -> RouteAnswer {
            RouteAnswer(payload: try WireCoding.encode(reply))
        }
        switch frame.name {
        case AddAccount.name: return try answer(try await accounts.add(decode(AddAccount.self)))
        case ListAccounts.name: return try answer(try await accounts.list())
        case RemoveAccount.name: return try answer(try await accounts.remove(decode(RemoveAccount.self)))
        default: return nil
        }
    }
}
