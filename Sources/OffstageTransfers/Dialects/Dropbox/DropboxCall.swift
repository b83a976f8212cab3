// SPDX-License-Identifier: Apache-2.0

/// A call to Dropbox's API.
enum DropboxCall: Sendable, Hashable {
    /// `files/upload`: the whole file in one request.
    case upload
    /// `files/upload_session/start`, without bytes.
    case start(DropboxSessionKind)
    /// `files/upload_session/append_v2` at an offset, without bytes: if the session does not continue there, the
    /// refusal states where it does.
    case locate(Int64)
    /// `files/upload_session/append_v2` with bytes of the source.
    case append(Range<Int64>)
    /// The same with bytes for a concurrent session, regardless of other calls under way.
    case put(Range<Int64>)
    /// The same with the last bytes for a concurrent session, once it has all other bytes: afterwards it accepts no
    /// more.
    case close(Range<Int64>)
    /// `files/upload_session/finish` with the last bytes of the source, or none: the commit.
    case finish(Range<Int64>)
    /// `files/get_metadata` of the destination.
    case metadata
}

/// How an upload session is filled: UploadSessionType.
enum DropboxSessionKind: String, Sendable, Hashable {
    /// From its beginning, one request after the other.
    case sequential
    /// Several requests at once, in any order: each begins and ends at a block, and the last one closes it.
    case concurrent
}
