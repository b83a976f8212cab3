// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore
import OffstageProtocol

/// The end of a task in Foundation's terms.
struct EndDetails {
    let id: TransferID?
    let response: HTTPURLResponse?
    let error: URLError?
    /// The body of an upload's response.
    let body: Data
    /// The downloaded file, unless a delegate has received it already.
    let fileToTake: URL?
    let ending: DelegateCalls.Ending
    private let interval: DateInterval
    private let answer: Answer?

    /// Creates the details from the daemon's report.
    init(_ end: SessionTaskEnd, _ core: SessionTaskCore) {
        id = end.id
        let answer = end.outcome.answer
        self.answer = answer
        response = answer.flatMap { Self.response($0, core.originalRequest?.url) }
        error = SessionTaskErrors.error(of: end, request: core.originalRequest, isUpload: core.isUpload)
        body = Self.body(end)
        let path = error == nil && !end.isFileTaken ? end.filePath(core) : nil
        // A missing file was taken by a delegate whose process ended before it could report that.
        fileToTake = path.flatMap { access($0, F_OK) == 0 ? URL(fileURLWithPath: $0) : nil }
        ending = DelegateCalls.Ending(
            isCompleted: error == nil,
            bytesDone: end.bytesDone,
            bytesTotal: end.bytesTotal,
            hasBody: !body.isEmpty,
            hasFile: fileToTake != nil,
            offset: answer?.status == 206 ? core.resumeOffset : 0
        )
        let start = end.startedAt ?? end.createdAt
        interval = DateInterval(start: min(start, end.endedAt), end: end.endedAt)
    }

    /// Creates the details of a task that the daemon never had.
    init(_ error: URLError, _ core: SessionTaskCore) {
        id = nil
        response = nil
        self.error = error
        body = Data()
        fileToTake = nil
        answer = nil
        ending = DelegateCalls.Ending(isCompleted: false, bytesDone: 0, bytesTotal: nil)
        interval = DateInterval(start: Date(), duration: 0)
    }

    /// The URL after all redirects.
    var finalURL: URL? { response?.url }

    func metrics(_ task: any SessionTask) -> URLSessionTaskMetrics {
        var transactions: [URLSessionTaskTransactionMetrics] = []
        if let request = task.core.currentRequest {
            var values = URLSessionTaskTransactionMetrics.Values(request: request, response: response)
            values.fetchStartDate = interval.start
            values.responseEndDate = interval.end
            values.networkProtocolName = answer.map { $0.httpVersion.hasPrefix("2") ? "h2" : "http/\($0.httpVersion)" }
            values.remoteAddress = answer?.remoteAddress
            values.remotePort = answer?.remotePort
            values.isReusedConnection = answer?.isConnectionReused ?? false
            values.bodyBytesSent = task.core.counts.sent
            values.bodyBytesReceived = task.core.counts.received
            transactions = [URLSessionTaskTransactionMetrics(values)]
        }
        return URLSessionTaskMetrics(
            transactionMetrics: transactions,
            taskInterval: interval,
            redirectCount: answer?.redirectCount ?? 0
        )
    }

    private static func response(_ answer: Answer, _ original: URL?) -> HTTPURLResponse? {
        guard let url = URL(string: answer.finalURL) ?? original else { return nil }
        var fields: [String: String] = [:]
        for field in answer.headers {
            // A field that occurs twice is one field with both values (RFC 9110, section 5.3).
            let name = fields.keys.first { $0.caseInsensitiveEquals(field.name) } ?? field.name
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return HTTPURLResponse(
            url: url,
            statusCode: answer.status,
            httpVersion: "HTTP/\(answer.httpVersion)",
            headerFields: fields
        )
    }

    private static func body(_ end: SessionTaskEnd) -> Data {
        if let path = end.bodyPath, let whole = try? Data(contentsOf: URL(fileURLWithPath: path)) { return whole }
        return Data(end.outcome.answer?.bodyStart ?? [])
    }
}

extension SessionTaskEnd {
    /// The path of a downloaded file; nil for an upload.
    func filePath(_ core: SessionTaskCore) -> String? { core.isUpload ? nil : core.downloadPath }
}
