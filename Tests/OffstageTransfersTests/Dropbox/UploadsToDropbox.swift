// SPDX-License-Identifier: Apache-2.0
import Testing

/// Uploads from a queue to an emulator of Dropbox in the same process. Serialized: each test waits on threads that
/// tests share, and other threads of the same pool serve it.
@Suite(.serialized)
enum `Uploads to Dropbox` {}
