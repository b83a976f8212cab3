// SPDX-License-Identifier: Apache-2.0
public import Foundation
import FoundationNetworking

/// The key of a failed download's resume data in its error's `userInfo`.
///
/// <https://developer.apple.com/documentation/foundation/nsurlsessiondownloadtaskresumedata>
public let NSURLSessionDownloadTaskResumeData = URLSessionDownloadTaskResumeData

/// The key of a failed upload's resume data in its error's `userInfo`.
///
/// <https://developer.apple.com/documentation/foundation/nsurlsessionuploadtaskresumedata>
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"

/// The key, in an error's `userInfo`, of the reason why no network was suitable.
///
/// <https://developer.apple.com/documentation/foundation/nsurlerrornetworkunavailablereasonkey>
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

extension URLError {
    /// Why no network was suitable.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlerror/networkunavailablereason-swift.enum>
    public enum NetworkUnavailableReason: Int, Sendable {
        /// Cellular access is not allowed.
        case cellular = 0
        /// Expensive access is not allowed.
        case expensive = 1
        /// Constrained access is not allowed.
        case constrained = 2
    }

    /// Why a background task was cancelled by someone other than the app.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlerror/backgroundtaskcancelledreason-swift.enum>
    public enum BackgroundTaskCancelledReason: Int, Sendable {
        /// The user force-quit the app.
        case userForceQuitApplication = 0
        /// The user does not allow the app to work in the background.
        case backgroundUpdatesDisabled = 1
        /// The system lacked what the task needs.
        case insufficientSystemResources = 2
    }

    /// Why no network was suitable; nil if the error has another cause.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlerror/networkunavailablereason-swift.property>
    public var networkUnavailableReason: NetworkUnavailableReason? {
        Self.integer(errorUserInfo[NSURLErrorNetworkUnavailableReasonKey]).flatMap(NetworkUnavailableReason.init)
    }

    /// Why the task was cancelled by someone other than the app; nil if it was not.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlerror/backgroundtaskcancelledreason-swift.property>
    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        Self.integer(errorUserInfo[NSURLErrorBackgroundTaskCancelledReasonKey])
            .flatMap(BackgroundTaskCancelledReason.init)
    }

    /// The data with which `downloadTask(withResumeData:)` continues the download; nil if the download has to start
    /// over.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlerror/downloadtaskresumedata>
    public var downloadTaskResumeData: Data? { errorUserInfo[NSURLSessionDownloadTaskResumeData] as? Data }

    /// The data with which `uploadTask(withResumeData:)` continues the upload; nil if the upload has to start over, for
    /// example because the server does not support resumable uploads.
    ///
    /// <https://developer.apple.com/documentation/foundation/urlerror/uploadtaskresumedata>
    public var uploadTaskResumeData: Data? { errorUserInfo[NSURLSessionUploadTaskResumeData] as? Data }

    /// The resume data of either kind.
    var taskResumeData: Data? { downloadTaskResumeData ?? uploadTaskResumeData }

    private static func integer(_ value: Any?) -> Int? { (value as? NSNumber)?.intValue ?? value as? Int }
}
