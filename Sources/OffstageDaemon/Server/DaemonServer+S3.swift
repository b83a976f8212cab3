// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// Questions to S3 servers that belong to no transfer.
extension DaemonServer {
    func answer(
        to question: S3Inquiry.Question,
        _ asking: S3Asking,
        _ connection: UInt64
    ) async throws -> TokenAnswer {
        let keys = try asking.keys()
        let way = TokenRequest.Way(asking.proxy, certificateAuthorityPath: asking.certificateAuthorityPath)
        let given = await accounts.way(of: keys, way)
        return try await answer(to: S3Inquiry(question, at: asking.endpoint, keys: keys, by: given), connection)
    }
}
