// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageTransfers

extension Route {
    /// The requests about open uploads at S3 servers.
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
            let answer = try await server.inquiries.answer(to: question, request.asking, connection)
            guard let page = S3OpenUploads(answer.body, after: request.after) else {
                throw WireFailure(
                    .notApplicable,
                    "\(request.asking.endpoint.server) does not list the open uploads of '\(request.bucket)': it may not know that request."
                )
            }
            let record = try await server.inquiries.uploadsOnRecord(for: request, isLast: page.next == nil, connection)
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
                _ = try await server.inquiries.answer(to: question, request.asking, connection)
            }
        ),
    ]

    private static func refusal(_ use: S3UploadsOnRecord.Use, _ location: S3Location) -> String {
        switch use {
        case .by(let id):
            "Transfer \(id) uses that upload to \(location.text): 'offstage cancel \(id)' ends both; a failed transfer is forgotten with 'offstage forget \(id)'."
        case .perhapsBy(let id):
            "That upload to \(location.text) may belong to transfer \(id), which has not begun one yet: wait until it has, or end it with 'offstage cancel \(id)'."
        }
    }
}
