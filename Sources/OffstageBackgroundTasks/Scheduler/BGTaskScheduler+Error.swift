// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension BGTaskScheduler {
    /// The domain of the errors that `submit` throws.
    public static let errorDomain = "BGTaskSchedulerErrorDomain"

    /// Why a request was not accepted; `localizedDescription` is one sentence that explains what to do.
    ///
    /// <https://developer.apple.com/documentation/backgroundtasks/bgtaskscheduler/error>
    public struct Error: CustomNSError, Hashable {
        /// The kind of refusal. `catch BGTaskScheduler.Error.unavailable` matches it.
        public enum Code: Int, Sendable {
            /// Background refresh is switched off, or nothing can launch the app.
            case unavailable = 1
            /// The maximum number of requests of this kind is already pending.
            case tooManyPendingTaskRequests = 2
            /// The app's `Info.plist` does not permit the identifier or the kind, or a resource is not available.
            case notPermitted = 3
            /// Continued processing cannot run immediately.
            case immediateRunIneligible = 4

            /// Whether an error has this code.
            public static func ~= (code: Code, error: any Swift.Error) -> Bool {
                (error as? BGTaskScheduler.Error)?.code == code
            }
        }

        /// Background refresh is switched off, or nothing can launch the app.
        public static var unavailable: Code { .unavailable }
        /// The maximum number of requests of this kind is already pending.
        public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
        /// The app's `Info.plist` does not permit the identifier or the kind, or a resource is not available.
        public static var notPermitted: Code { .notPermitted }
        /// Continued processing cannot run immediately.
        public static var immediateRunIneligible: Code { .immediateRunIneligible }

        /// `BGTaskSchedulerErrorDomain`.
        public static var errorDomain: String { BGTaskScheduler.errorDomain }

        /// The kind of refusal.
        public let code: Code
        /// Details of the error; the message is under `NSLocalizedDescriptionKey`.
        public var userInfo: [String: Any] { details.userInfo }
        private let details: NSError

        /// Creates an error with a code.
        public init(_ code: Code, userInfo: [String: Any] = [:]) {
            self.code = code
            details = NSError(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo)
        }

        /// The code's number.
        public var errorCode: Int { code.rawValue }
        /// The same as `userInfo`.
        public var errorUserInfo: [String: Any] { userInfo }
        /// One sentence that explains what to do.
        public var localizedDescription: String { details.localizedDescription }
    }
}

extension BGTaskScheduler.Error: CustomStringConvertible {
    /// The domain, the code and the message.
    public var description: String {
        "Error Domain=\(Self.errorDomain) Code=\(errorCode) \"\(localizedDescription)\""
    }

    init(_ code: Code, _ sentence: String) { self.init(code, userInfo: [NSLocalizedDescriptionKey: sentence]) }
}
