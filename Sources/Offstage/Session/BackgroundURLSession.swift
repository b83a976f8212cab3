// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore

/// The `URLSession` of a background session, as the app sees it.
///
/// Unchecked: it adds to its base class only a core that may be used from any thread.
final class BackgroundURLSession: FoundationNetworking.URLSession, @unchecked Sendable {
    let core: SessionCore

    init(
        _ configuration: BackgroundConfiguration,
        delegateQueue: OperationQueue?,
        hub: SessionHub,
        isSupervised: Bool
    ) {
        let settings = SessionSettings(configuration, environment: hub.link.environment)
        core = SessionCore(settings, hub: hub, isSupervised: isSupervised)
        super.init(configuration: configuration, delegate: nil, delegateQueue: delegateQueue)
    }

    override var delegate: (any FoundationNetworking.URLSessionDelegate)? { core.state.withLock { $0.delegate } }

    // MARK: - Uploads

    override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        upload("uploadTask(with:fromFile:)", request, .file(fileURL))
    }

    override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        upload("uploadTask(with:from:)", request, .data(bodyData))
    }

    override func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        upload("uploadTask(with:fromFile:completionHandler:)", request, .file(fileURL), .body(completionHandler))
    }

    override func uploadTask(
        with request: URLRequest,
        from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        upload(
            "uploadTask(with:from:completionHandler:)",
            request,
            .data(bodyData ?? Data()),
            .body(completionHandler)
        )
    }

    override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        Misuse.stop(
            "uploadTask(withStreamedRequest:)",
            "a background session cannot upload a stream, which would end with the program; write it to a file and use uploadTask(with:fromFile:)"
        )
    }

    /// Creates an upload requested through `call`.
    func upload(
        _ call: String,
        _ request: URLRequest,
        _ source: SessionTaskDraft.Source,
        _ handler: SessionTaskHandler? = nil
    ) -> URLSessionUploadTask {
        let task = core.make(call, SessionTaskDraft(request, source, settings: core.settings), handler) {
            BackgroundUploadTask($0)
        }
        return task
    }

    /// Creates an upload in a dialect, requested through `call`; `watcher` receives its progress. The session's own
    /// header fields are only for servers that the app talks to itself.
    func upload(
        _ call: String,
        _ dialect: DialectSpec,
        _ url: URL,
        _ headers: [HeaderField],
        _ file: URL,
        _ handler: SessionTaskHandler?,
        _ watcher: (@Sendable (Int64, Int64) -> Void)?
    ) -> URLSessionUploadTask {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let draft = SessionTaskDraft(request, dialect, headers, file, settings: core.settings)
        let task = core.make(call, draft, handler) { taskCore in
            taskCore.state.withLock { $0.callbacks.watcher = watcher }
            return BackgroundUploadTask(taskCore)
        }
        return task
    }

    // MARK: - Downloads

    override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        download("downloadTask(with:)", SessionTaskDraft(request, .download, settings: core.settings))
    }

    override func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        download("downloadTask(withResumeData:)", SessionTaskDraft(resumeData: resumeData, settings: core.settings))
    }

    override func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        let draft = SessionTaskDraft(request, .download, settings: core.settings)
        return download("downloadTask(with:completionHandler:)", draft, .file(completionHandler))
    }

    override func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        let draft = SessionTaskDraft(resumeData: resumeData, settings: core.settings)
        return download("downloadTask(withResumeData:completionHandler:)", draft, .file(completionHandler))
    }

    private func download(
        _ call: String,
        _ draft: SessionTaskDraft,
        _ handler: SessionTaskHandler? = nil
    ) -> URLSessionDownloadTask {
        core.make(call, draft, handler) { BackgroundDownloadTask($0) }
    }

    // MARK: - Data, which stays in the process

    override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        core.dataTask("dataTask(with:)", request, configuration, handler: nil)
    }

    override func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    override func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        core.dataTask("dataTask(with:completionHandler:)", request, configuration, handler: completionHandler)
    }

    override func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    override func webSocketTask(with url: URL) -> URLSessionWebSocketTask { stopAtWebSocket() }
    override func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask { stopAtWebSocket() }
    override func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask { stopAtWebSocket() }

    private func stopAtWebSocket() -> Never {
        Misuse.stop("webSocketTask(with:)", "a background session has no web sockets; use one in the foreground")
    }

    // MARK: - The session

    override func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        core.withTasks(completionHandler)
    }

    override func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        core.withTasks { tasks in
            completionHandler(
                tasks.filter { !($0 is URLSessionUploadTask) }.compactMap { $0 as? URLSessionDataTask },
                tasks.compactMap { $0 as? URLSessionUploadTask },
                tasks.compactMap { $0 as? URLSessionDownloadTask }
            )
        }
    }

    override func finishTasksAndInvalidate() { core.invalidate(cancelling: false) }

    override func invalidateAndCancel() { core.invalidate(cancelling: true) }

    override func flush(completionHandler: @escaping @Sendable () -> Void) { core.flush(completionHandler) }

    override func reset(completionHandler: @escaping @Sendable () -> Void) {
        configuration.httpCookieStorage?.removeCookies(since: .distantPast)
        super.reset(completionHandler: completionHandler)
    }
}
