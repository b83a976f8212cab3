// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The files to send and fetch: a JSON array, written by scripts/torture.
struct Plan: Sendable {
    struct Item: Codable, Sendable {
        enum Kind: String, Codable { case upload, uploadOfData, download }

        var kind: Kind
        var name: String
        var url: URL
        /// The file to send, or the path that a download is moved to.
        var file: String
        /// Seconds to wait before handing it over.
        var pause: Double
    }

    let items: [Item]
    private let byName: [String: Item]

    init(contentsOf file: URL) throws {
        items = try JSONDecoder().decode([Item].self, from: Data(contentsOf: file))
        byName = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0) })
    }

    func item(of task: URLSessionTask) -> Item? {
        task.taskDescription.flatMap { byName[$0] }
    }
}

extension Plan.Item {
    func makeTask(in session: URLSession) throws -> URLSessionTask {
        var request = URLRequest(url: url)
        switch kind {
        case .upload:
            request.httpMethod = "PUT"
            return session.uploadTask(with: request, fromFile: URL(fileURLWithPath: file))
        case .uploadOfData:
            request.httpMethod = "PUT"
            return session.uploadTask(with: request, from: try Data(contentsOf: URL(fileURLWithPath: file)))
        case .download:
            return session.downloadTask(with: request)
        }
    }
}
