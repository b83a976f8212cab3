// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// A file for some member of a fleet to send.
public struct FleetUpload: Sendable {
    /// The file, on storage that the members share, at the same place as here.
    public var file: URL
    /// The request to send it with: URL, method and header fields. It has no body, since the file is the body; what else a request
    /// can say of a connection (timeouts, cellular networks) is the member's own, and passed over.
    public var request: URLRequest
    /// Your own name for the row: of several with one key, the first is taken in, whenever it comes. Nil for none.
    public var key: String?
    /// Shown in lists.
    public var label: String?
    /// 0 to 1.
    public var priority: Float
    /// The queue's name; nil for the usual one.
    public var queue: String?
    /// What a member must have to take it, such as `site=seoul`, or `member=nas-1` for one machine.
    public var labels: [String]
    /// The time before which no member begins, to the second; nil for at once.
    public var earliestBeginDate: Date?
    /// What the file is, if this machine does not see it; nil to look at it now.
    public var state: FileState?

    /// A file as it was when it was chosen: a member sends it only if it is the same.
    public struct FileState: Sendable, Hashable {
        /// The size.
        public var bytes: Int64
        /// The time of change, in nanoseconds since 1970.
        public var modified: Int64

        /// Makes a state.
        ///
        /// - Parameters:
        ///   - bytes: the size.
        ///   - modified: the time of change, in nanoseconds since 1970.
        public init(bytes: Int64, modified: Int64) {
            self.bytes = bytes
            self.modified = modified
        }
    }

    /// Makes an upload.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - request: URL, method (`PUT` if it says `GET`) and header fields.
    ///   - key: your own name for the row.
    ///   - labels: what a member must have to take it.
    public init(file: URL, request: URLRequest, key: String? = nil, labels: [String] = []) {
        self.file = file
        self.request = request
        self.key = key
        self.labels = labels
        priority = URLSessionTask.defaultPriority
    }
}
