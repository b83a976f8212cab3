// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Errors as Apple's platforms report them.
enum SessionTaskErrors {
    /// `NSURLErrorFailingURLStringErrorKey`, which is deprecated but still used by apps.
    private static let failingURLStringKey = "NSErrorFailingURLStringKey"

    /// The error if the daemon cannot be reached, or does not open the session.
    static func disconnected(_ error: any Error) -> URLError {
        let isInUse = (error as? OffstageError)?.code == .inUse
        return URLError(
            isInUse ? .backgroundSessionInUseByAnotherProcess : .backgroundSessionWasDisconnected,
            userInfo: [NSLocalizedDescriptionKey: "\(error)", NSUnderlyingErrorKey: error]
        )
    }

    /// The error if a task could not be handed over.
    static func notHandedOver(_ error: any Error) -> URLError {
        if let error = error as? URLError { return error }
        // The request is too large, which has nothing to do with the connection.
        guard (error as? OffstageError)?.code == .badRequest else { return disconnected(error) }
        return URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: "\(error)", NSUnderlyingErrorKey: error])
    }

    /// How a task ended; nil for a response, whatever its status.
    static func error(of end: SessionTaskEnd, request: URLRequest?, isUpload: Bool) -> URLError? {
        var userInfo = about(request)
        let key = isUpload ? NSURLSessionUploadTaskResumeData : NSURLSessionDownloadTaskResumeData
        if let data = end.resumeData { userInfo[key] = Data(data.bytes) }
        switch end.outcome {
        case .completed: return nil
        case .cancelled, .released: return error(URLError(.cancelled, userInfo: userInfo), request: nil)
        case .cancelledByQuit:
            let reason = URLError.BackgroundTaskCancelledReason.userForceQuitApplication
            userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] = reason.rawValue
            return error(URLError(.cancelled, userInfo: userInfo), request: nil)
        case .failed(let failure, let answer):
            // A failure that represents a response is not an error to Apple; one without a response is.
            guard let code = failure.urlErrorCode ?? (answer == nil ? URLError.badServerResponse.rawValue : nil) else {
                return nil
            }
            userInfo[NSLocalizedDescriptionKey] = "The transfer failed: \(failure.detail)."
            userInfo[NSLocalizedRecoverySuggestionErrorKey] = failure.advice(isSessionTask: true)
            return URLError(URLError.Code(rawValue: code) ?? .unknown, userInfo: userInfo)
        }
    }

    /// The error of a task that the daemon does not have, with its URL.
    static func error(_ error: URLError, request: URLRequest?) -> URLError {
        var userInfo = error.errorUserInfo.merging(about(request)) { own, _ in own }
        if userInfo[NSLocalizedDescriptionKey] == nil { userInfo[NSLocalizedDescriptionKey] = words(for: error.code) }
        return URLError(error.code, userInfo: userInfo)
    }

    /// Apple's wording, which apps show and log, if there is no better message.
    private static func words(for code: URLError.Code) -> String? {
        switch code {
        case .cancelled: "cancelled"
        case .unsupportedURL: "unsupported URL"
        default: nil
        }
    }

    private static func about(_ request: URLRequest?) -> [String: Any] {
        guard let url = request?.url else { return [:] }
        return [NSURLErrorFailingURLErrorKey: url, failingURLStringKey: url.absoluteString]
    }

    /// The error if the app's request cannot be sent to a server.
    static func invalid(_ error: RequestError) -> URLError {
        URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: error.sentence])
    }

    /// The error if the daemon could not accept a task.
    static func refusal(_ failure: TransferFailure) -> URLError {
        URLError(
            failure.urlErrorCode.flatMap(URLError.Code.init) ?? .unknown,
            userInfo: [NSLocalizedDescriptionKey: "The task was refused: \(failure.detail)."]
        )
    }
}
