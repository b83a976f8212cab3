// SPDX-License-Identifier: Apache-2.0
import Testing

/// Uploads from a queue to an emulator of Dropbox in the same process. One after another: each waits on threads that
/// tests share, and is served by others of them.
@Suite(.serialized)
enum `Uploads to Dropbox` {}
