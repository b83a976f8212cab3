// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPURLResponse {
    /// The interim response with which a server offers to resume an upload (104); nil for a task without a URL.
    convenience init?(interim fields: [HeaderField], to task: URLSessionTask) {
        guard let url = task.currentRequest?.url else { return nil }
        let headers = fields.reduce(into: [:]) { $0[$1.name] = $1.value }
        self.init(url: url, statusCode: 104, httpVersion: nil, headerFields: headers)
    }
}
