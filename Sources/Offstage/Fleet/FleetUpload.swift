// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// A file for any member of a fleet to send.
public struct FleetUpload: Sendable {
    /// The file, on storage that the members share, at the same path as on this machine.
    public var file: URL
    /// The request to send the file with: URL, method and header fields. It has no body, since the file is the body.
    /// Its connection settings (timeouts, cellular networks) are ignored: the member has its own.
    public var request: URLRequest
    /// Your own name for the row; nil for none. If several uploads have the same key, only the first is accepted,
    /// whenever it arrives.
    public var key: String?
    /// Shown in lists.
    public var label: String?
    /// 0 to 1.
    public var priority: Float
    /// The queue's name; nil for the usual one.
    public var queue: String?
    /// The labels that a member needs to take the row, such as `site=seoul`, or `member=nas-1` for one machine.
    public var labels: [String]
    /// The earliest time at which a member may begin, to the second; nil to begin immediately.
    public var earliestBeginDate: Date?
    /// The file's state, if this machine cannot see the file; nil to determine it now.
    public var state: FileState?

    /// The state of a file when it was chosen: a member sends the file only if it has not changed since.
    public struct FileState: Sendable, Hashable {
        /// The size, in bytes.
        public var bytes: Int64
        /// The modification time, in nanoseconds since 1970.
        public var modified: Int64

        /// Creates a state.
        ///
        /// - Parameters:
        ///   - bytes: the size, in bytes.
        ///   - modified: the modification time, in nanoseconds since 1970.
        public init(bytes: Int64, modified: Int64) {
            self.bytes = bytes
            self.modified = modified
        }
    }

    /// Creates an upload.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - request: URL, method (`GET` becomes `PUT`) and header fields.
    ///   - key: your own name for the row.
    ///   - labels: the labels that a member needs to take the row.
    public init(file: URL, request: URLRequest, key: String? = nil, labels: [String] = []) {
        self.file = file
        self.request = request
        self.key = key
        self.labels = labels
        priority = URLSessionTask.defaultPriority
    }
}
