// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage

// Written as for iOS, in Swift 5 mode: nothing in this file knows that it runs on Linux.

class TransferManager: NSObject {
    static let shared = TransferManager()

    private(set) lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.transfers")
        configuration.sessionSendsLaunchEvents = true
        configuration.isDiscretionary = false
        configuration.waitsForConnectivity = true
        configuration.allowsCellularAccess = true
        configuration.allowsExpensiveNetworkAccess = true
        configuration.allowsConstrainedNetworkAccess = true
        configuration.sharedContainerIdentifier = nil
        configuration.httpMaximumConnectionsPerHost = 4
        configuration.timeoutIntervalForRequest = 60
        configuration.timeoutIntervalForResource = 24 * 60 * 60
        configuration.httpAdditionalHeaders = ["X-Client": "session-app"]
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    var backgroundCompletionHandler: (() -> Void)?
    var responseBodies: [Int: Data] = [:]

    func upload(_ file: URL, to url: URL) -> URLSessionUploadTask {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        let task = session.uploadTask(with: request, fromFile: file)
        task.taskDescription = file.lastPathComponent
        task.countOfBytesClientExpectsToSend = 1000
        return task
    }

    func download(_ url: URL, to destination: URL) -> URLSessionDownloadTask {
        let task = session.downloadTask(with: url)
        task.taskDescription = destination.path
        task.priority = URLSessionTask.highPriority
        task.earliestBeginDate = nil
        return task
    }

    func report(_ line: String) {
        print(line)
        fflush(stdout)
    }
}

extension TransferManager: URLSessionDelegate {
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        report("finished events \(session.configuration.identifier ?? "")")
        DispatchQueue.main.async {
            self.backgroundCompletionHandler?()
            self.backgroundCompletionHandler = nil
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
        report("invalid \(error.map { "\(($0 as NSError).code)" } ?? "nil")")
    }

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = challenge.protectionSpace.serverTrust
        else { return completionHandler(.performDefaultHandling, nil) }
        report("trust \(SecTrustGetCertificateCount(trust) > 0)")
        completionHandler(.useCredential, URLCredential(trust: trust))
    }
}

extension TransferManager: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        report("sent \(task.taskIdentifier) \(bytesSent) \(totalBytesSent) \(totalBytesExpectedToSend)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        report("metrics \(task.taskIdentifier) \(metrics.taskInterval.duration >= 0) \(metrics.redirectCount)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        let code = (error as NSError?)?.code ?? 0
        report("completed \(task.taskIdentifier) \(task.taskDescription ?? "") \(status) \(code)")
    }
}

extension TransferManager: URLSessionDataDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        responseBodies[dataTask.taskIdentifier, default: Data()].append(data)
        report("body \(dataTask.taskIdentifier) \(String(decoding: data.prefix(40), as: UTF8.self))")
    }
}

extension TransferManager: URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let destination = URL(fileURLWithPath: downloadTask.taskDescription ?? "")
        do {
            try? FileManager.default.removeItem(at: destination)
            try FileManager.default.moveItem(at: location, to: destination)
            report("file \(downloadTask.taskIdentifier)")
        } catch {
            report("failed to move \(error)")
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        report("wrote \(downloadTask.taskIdentifier) \(bytesWritten) \(totalBytesWritten) \(totalBytesExpectedToWrite)")
    }
}
