// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

/// The inputs of a task: everything determined when the task is created, which leaves little for `resume()` to do.
struct SessionTaskDraft: Sendable {
    enum Source: Sendable {
        /// The path of a file to upload.
        case file(URL)
        /// Data to upload, which is written to a file once the task is resumed.
        case data(Data)
        /// Fields and files; data among them is written to files once the task is resumed.
        case form(MultipartForm)
        case download
        case resumedDownload(ResumeData)
        case resumedUpload(UploadResumeData)
    }

    /// The request as sent; a form's request has its method and `Content-Type`.
    let request: URLRequest?
    let source: Source
    /// The path of the file to upload; empty for other tasks.
    let path: String
    let url: RequestURL?
    let headers: [HeaderField]
    let idleTimeout: Double
    /// The upload's dialect; nil for one plain request.
    let dialect: DialectSpec?
    /// Why the task fails as soon as it is resumed.
    let problem: URLError?

    init(_ request: URLRequest, _ source: Source, settings: SessionSettings) {
        var request = request
        if case .form(let form) = source { request.setForm(contentType: form.contentType) }
        self.init(
            request,
            source,
            target: Self.target(request),
            headers: settings.headers(of: request),
            idleTimeout: settings.idleTimeout(of: request)
        )
    }

    /// Creates an upload in a dialect, which determines its header fields, except those that describe the file.
    init(
        _ request: URLRequest,
        _ dialect: DialectSpec,
        _ headers: [HeaderField],
        _ file: URL,
        settings: SessionSettings
    ) {
        self.init(
            request,
            .file(file),
            target: Self.target(request),
            headers: headers,
            idleTimeout: settings.idleTimeout,
            dialect: dialect
        )
    }

    private init(
        _ request: URLRequest?,
        _ source: Source,
        target: Result<RequestURL, URLError>,
        headers: [HeaderField],
        idleTimeout: Double,
        dialect: DialectSpec? = nil
    ) {
        self.dialect = dialect
        self.request = request
        self.source = source
        self.headers = headers
        self.idleTimeout = idleTimeout
        switch source {
        case .file(let file): path = file.absoluteURL.path
        case .resumedUpload(let resume): path = resume.path
        case .data, .form, .download, .resumedDownload: path = ""
        }
        switch target {
        case .success(let target): (url, problem) = (target, nil)
        case .failure(let error): (url, problem) = (nil, error)
        }
    }

    private static func target(_ request: URLRequest) -> Result<RequestURL, URLError> {
        guard let text = request.url?.absoluteString else { return .failure(URLError(.unsupportedURL)) }
        do throws(RequestError) {
            return .success(try RequestURL(text))
        } catch {
            let code: URLError.Code = if case .unsupportedScheme = error { .unsupportedURL } else { .badURL }
            return .failure(URLError(code, userInfo: [NSLocalizedDescriptionKey: error.sentence]))
        }
    }

    /// The method as HTTP spells it: lower-case names are converted to upper case; nil means the usual method.
    var method: String? {
        guard let method = request?.httpMethod, !method.isEmpty else { return nil }
        return method.uppercased()
    }

    /// Continues the download that the data describes.
    init(resumeData: Data, settings: SessionSettings) {
        guard let resume = try? ForeignJSON.decode(ResumeData.self, from: resumeData),
            let url = URL(string: resume.url.unredacted)
        else {
            // As on Apple's platforms: unreadable data names no URL.
            self.init(problem: URLError(.unsupportedURL), isUpload: false)
            return
        }
        self.init(
            Self.request(url, resume.method, resume.headers),
            .resumedDownload(resume),
            target: .success(resume.url),
            headers: resume.headers,
            idleTimeout: settings.idleTimeout
        )
    }

    /// Continues the upload that the data describes.
    init(uploadResumeData: Data, settings: SessionSettings) {
        guard let resume = try? ForeignJSON.decode(UploadResumeData.self, from: uploadResumeData),
            let url = URL(string: resume.url.unredacted)
        else {
            self.init(problem: URLError(.unsupportedURL), isUpload: true)
            return
        }
        self.init(
            Self.request(url, resume.method, resume.headers),
            .resumedUpload(resume),
            target: .success(resume.url),
            headers: resume.headers,
            idleTimeout: settings.idleTimeout
        )
    }

    private static func request(_ url: URL, _ method: String, _ headers: [HeaderField]) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for field in headers { request.setValue(field.value, forHTTPHeaderField: field.name) }
        return request
    }

    /// Creates a task that can only fail.
    init(problem: URLError, isUpload: Bool) {
        let source: Source = isUpload ? .data(Data()) : .download
        self.init(nil, source, target: .failure(problem), headers: [], idleTimeout: 60)
    }

    /// Returns the same task, which fails when it is resumed.
    func failing(_ problem: URLError) -> SessionTaskDraft {
        SessionTaskDraft(
            request,
            source,
            target: .failure(problem),
            headers: headers,
            idleTimeout: idleTimeout,
            dialect: dialect
        )
    }

    var isUpload: Bool {
        switch source {
        case .file, .data, .form, .resumedUpload: true
        case .download, .resumedDownload: false
        }
    }
}

extension URLRequest {
    /// Makes this the request of a form: a GET, the default method, becomes a POST.
    mutating func setForm(contentType: String) {
        if (httpMethod ?? "").isEmpty || httpMethod?.uppercased() == "GET" { httpMethod = "POST" }
        setValue(contentType, forHTTPHeaderField: "Content-Type")
    }
}
