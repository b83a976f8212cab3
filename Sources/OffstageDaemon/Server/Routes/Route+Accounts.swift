// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageTransfers

extension Route {
    /// The requests about accounts.
    static let ofAccounts = [
        Route(
            AddAccount.self,
            "exchanges a code and its verifier for tokens; answered once they are on the disk, or, with `asksFirst`, with the number of a sign-in that is to be confirmed"
        ) { server, request, connection in
            try await server.inquiries.inTurn(connection) { try await $0.add(request) }
        },
        Route(
            AddKeyAccount.self,
            "adds an account at S3 with its key, which the server is asked about first; answered once it is on the disk, sealed"
        ) { server, request, connection in
            try await server.inquiries.inTurn(connection) { try await $0.add(request) }
        },
        Route(ConfirmAccount.self, "keeps such a sign-in, or withdraws it") { server, request, connection in
            try await server.inquiries.inTurn(connection) { try await $0.confirm(request) }
        },
        Route(ListAccounts.self, "all accounts, without their tokens") { server, _, connection in
            try await server.inquiries.inTurn(connection) { try await $0.list() }
        },
        Route(RemoveAccount.self, "asks the service to withdraw the tokens, and forgets them") {
            server,
            request,
            connection in
            try await server.inquiries.inTurn(connection) { try await $0.remove(request) }
        },
    ]
}
