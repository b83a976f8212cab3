// SPDX-License-Identifier: Apache-2.0
public import Foundation
import FoundationNetworking
import OffstageCore

/// A fleet: machines that send the files of one queue, which is kept in a PostgreSQL database.
///
/// ```swift
/// let submitted = try await Fleet().submit([FleetUpload(file: film, request: request, key: film.path)])
/// ```
///
/// Each submission starts the program `offstage-fleet` and hands it the uploads through a pipe: this library does not
/// talk to the database and links no database code.
public struct Fleet: Sendable {
    /// The result of a submission.
    public struct Submission: Sendable, Hashable {
        /// The numbers of the rows, including rows that already existed under their keys.
        public let rows: [Int64]
        /// How many of the rows already existed.
        public let known: Int
    }

    private let database: String?
    private let program: URL?

    /// Creates a fleet.
    ///
    /// - Parameters:
    ///   - database: the address of its database; nil for the one that `offstage fleet use` saved.
    ///   - program: the program `offstage-fleet`; nil for the one next to this program or in `PATH`.
    public init(database: String? = nil, program: URL? = nil) {
        self.database = database
        self.program = program
    }

    /// Submits uploads, in batches that are each all or nothing.
    ///
    /// Cancelling the calling task does not stop the submission: another process is already carrying it out.
    ///
    /// - Parameter uploads: any number of uploads; does nothing if there are none.
    /// - Returns: the numbers of their rows.
    /// - Throws: `FleetError` if the database or a member rejects them. Rows of earlier batches may then be in the
    ///   fleet: with keys, submitting again creates no duplicates.
    public func submit(_ uploads: [FleetUpload]) async throws -> Submission {
        guard !uploads.isEmpty else { return Submission(rows: [], known: 0) }
        let lines = try uploads.map(Line.init)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        var input = Data()
        for line in lines {
            input.append(try encoder.encode(line))
            input.append(UInt8(ascii: "\n"))
        }
        let order = FleetProcess(program: program, database: database, input: input)
        let output = try await withCheckedThrowingContinuation { continuation in
            // The run waits for another process.
            DispatchQueue.global().async { continuation.resume(with: Result { try order.run() }) }
        }
        guard let reply = try? ForeignJSON.decode(Reply.self, from: output) else {
            throw FleetError("offstage-fleet has not said which rows it made: update it.")
        }
        return Submission(rows: reply.ids, known: reply.known)
    }

    private struct Reply: Decodable {
        let ids: [Int64]
        let known: Int
    }

    /// The format is described in docs/fleet.md.
    private struct Line: Encodable {
        let path: String
        let url: String
        let method: String
        let headers: [String: String]
        let key: String?
        let label: String?
        let priority: Float
        let queue: String?
        let on: [String]?
        let begin: String?
        let bytes: Int64?
        let modifiedNs: Int64?

        init(_ upload: FleetUpload) throws(FleetError) {
            guard upload.file.isFileURL, let url = upload.request.url else {
                throw FleetError("A fleet takes a file and a request with a URL.")
            }
            guard upload.request.httpBody == nil, upload.request.httpBodyStream == nil else {
                throw FleetError("A fleet sends the file as the request's body: the request must have none.")
            }
            path = upload.file.standardizedFileURL.path
            self.url = url.absoluteString
            method = upload.request.httpMethod.flatMap { $0 == "GET" ? nil : $0 } ?? "PUT"
            headers = upload.request.allHTTPHeaderFields ?? [:]
            key = upload.key
            label = upload.label
            priority = upload.priority
            queue = upload.queue
            on = upload.labels.isEmpty ? nil : upload.labels
            begin = upload.earliestBeginDate.map {
                Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.up)).formatted(.iso8601)
            }
            bytes = upload.state?.bytes
            modifiedNs = upload.state?.modified
        }
    }
}
