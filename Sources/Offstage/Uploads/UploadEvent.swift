// SPDX-License-Identifier: Apache-2.0

/// An event of an upload to an account.
public enum UploadEvent: Sendable, Hashable {
    /// The number of bytes transferred, which never decreases, and the file's size. If many of these events are
    /// waiting, only the newest are kept.
    case progress(sent: Int64, of: Int64)
    /// The file has been uploaded.
    case uploaded(UploadedFile)
}
