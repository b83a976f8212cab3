// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

extension SessionCore.Audience {
    /// Passes the interim response by which a server offers to resume an upload (104) to the delegate.
    func tell(_ fields: [HeaderField], of task: URLSessionTask) {
        let headers = fields.reduce(into: [:]) { $0[$1.name] = $1.value }
        guard let url = task.currentRequest?.url,
            let response = HTTPURLResponse(url: url, statusCode: 104, httpVersion: nil, headerFields: headers)
        else { return }
        ownTask?.urlSession(session, task: task, didReceiveInformationalResponse: response)
    }
}
