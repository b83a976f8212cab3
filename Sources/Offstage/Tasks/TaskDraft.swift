// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

/// What a task was made from: everything that is worked out when it is made, so that `resume()` has little left to do.
struct TaskDraft: Sendable {
    enum Source: Sendable {
        /// The path of a file to upload.
        case file(URL)
        /// Data to upload, which is written to a file once the task is resumed.
        case data(Data)
        case download
        case resumedDownload(ResumeData)
    }

    let request: URLRequest?
    let source: Source
    /// The path of the file to upload; empty for anything else.
    let path: String
    let url: RequestURL?
    let headers: [HeaderField]
    let idleTimeout: Double
    /// Why the task fails as soon as it is resumed.
    let problem: URLError?

    init(_ request: URLRequest, _ source: Source, settings: SessionSettings) {
        self.request = request
        self.source = source
        if case .file(let url) = source { path = url.absoluteURL.path } else { path = "" }
        headers = settings.headers(of: request)
        idleTimeout = settings.idleTimeout(of: request)
        guard let text = request.url?.absoluteString else {
            url = nil
            problem = URLError(.badURL)
            return
        }
        do throws(RequestError) {
            url = try RequestURL(text)
            problem = nil
        } catch {
            url = nil
            let code: URLError.Code = if case .unsupportedScheme = error { .unsupportedURL } else { .badURL }
            problem = URLError(code, userInfo: [NSLocalizedDescriptionKey: error.sentence])
        }
    }

    /// Goes on with a download of which the data tells.
    init(resumeData: Data, settings: SessionSettings) {
        guard let resume = try? JSONDecoder().decode(ResumeData.self, from: resumeData),
            let url = URL(string: resume.url.unredacted)
        else {
            self.init(problem: URLError(.cannotDecodeRawData), isUpload: false)
            return
        }
        var request = URLRequest(url: url)
        request.httpMethod = resume.method
        for field in resume.headers { request.setValue(field.value, forHTTPHeaderField: field.name) }
        self.request = request
        source = .resumedDownload(resume)
        path = ""
        self.url = resume.url
        headers = resume.headers
        idleTimeout = settings.idleTimeout
        problem = nil
    }

    /// A task that can only fail.
    init(problem: URLError, isUpload: Bool) {
        request = nil
        source = isUpload ? .data(Data()) : .download
        path = ""
        url = nil
        headers = []
        idleTimeout = 60
        self.problem = problem
    }

    var isUpload: Bool {
        switch source {
        case .file, .data: true
        case .download, .resumedDownload: false
        }
    }
}
