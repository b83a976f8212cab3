// SPDX-License-Identifier: Apache-2.0

/// What happens to an upload to an account.
public enum UploadEvent: Sendable, Hashable {
    /// So many bytes of the file are across, of so many; it never goes back. Where many of these wait to be taken, only
    /// the newest are kept.
    case progress(sent: Int64, of: Int64)
    /// The file is there.
    case uploaded(UploadedFile)
}
