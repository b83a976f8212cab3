// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageTransfers

extension Route {
    /// The requests about uploads that S3 servers keep open.
    static let ofOpenUploads = [
        Route(
            ListOpenUploads.self,
            "asks an S3 server for one page of the multipart uploads that are open in a bucket, and says which of them transfers on record use"
        ) { server, request, connection in
            try request.validate()
            let question = S3Inquiry.Question.openUploads(
                bucket: request.bucket,
                prefix: request.prefix,
                after: request.after
            )
            let body = try await server.answer(to: question, request.asking, connection)
            guard let page = S3OpenUploads(body, after: request.after) else {
                throw WireFailure(
                    .notApplicable,
                    "\(request.asking.endpoint.server) does not list the open uploads of '\(request.bucket)': it may not know that request."
                )
            }
            let record = try await server.queue.uploadsOnRecord(to: request.bucket)
            let uploads = page.uploads.map { upload in
                let place = S3Location(bucket: request.bucket, key: upload.key)
                var row = OpenUpload(key: upload.key, id: upload.id, begun: upload.begun)
                switch record.use(of: upload.id, at: place) {
                case .by(let id): row.transfer = id
                case .perhapsBy(let id): (row.transfer, row.isCertain) = (id, false)
                case nil: break
                }
                return row
            }
            return ListOpenUploads.Reply(uploads: uploads, next: page.next)
        },
        Route(
            AbortOpenUpload.self,
            "has an S3 server forget a multipart upload and its parts; refused if a transfer on record uses it",
            doing: { server, request, connection in
                try request.validate()
                let record = try await server.queue.uploadsOnRecord(to: request.location.bucket)
                if let use = record.use(of: request.upload, at: request.location) {
                    throw WireFailure(.notApplicable, Self.refusal(use, request.location))
                }
                let question = S3Inquiry.Question.abort(request.location, upload: request.upload)
                _ = try await server.answer(to: question, request.asking, connection)
            }
        ),
    ]

    private static func refusal(_ use: S3UploadsOnRecord.Use, _ location: S3Location) -> String {
        switch use {
        case .by(let id):
            "Transfer \(id) uses that upload to \(location.text): 'offstage cancel \(id)' ends both; a failed transfer is forgotten with 'offstage forget \(id)'."
        case .perhapsBy(let id):
            "That upload to \(location.text) may be the one of transfer \(id), which has begun none yet: wait until it has, or end it with 'offstage cancel \(id)'."
        }
    }
}

extension DaemonServer {
    /// Asks an S3 server. Each question waits on a thread of its own, so their number is limited, as that of other questions to
    /// services.
    fileprivate func answer(
        to question: S3Inquiry.Question,
        _ asking: S3Asking,
        _ connection: UInt64
    ) async throws -> [UInt8] {
        let keys = try asking.keys()
        let process = connections[connection]?.peerProcess ?? 0
        try await accountTurns.enter(process)
        defer { accountTurns.leave(process) }
        let given = TokenRequest.Way(asking.proxy, certificateAuthorityPath: asking.certificateAuthorityPath)
        let inquiry = S3Inquiry(question, at: asking.endpoint, keys: keys, by: await accounts.way(of: keys, given))
        let token = token
        switch await accounts.ask(inquiry, token: { await token($0, $1, $2, nil) }) {
        case .success(let body): return body
        case .failure(let failure):
            throw WireFailure(.notApplicable, "The server was asked in vain: \(failure.detail).")
        }
    }
}
