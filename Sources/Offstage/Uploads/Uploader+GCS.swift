// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore
import OffstageFiles

extension Uploader {
    /// An upload to Google Cloud Storage (docs/gcs.md), which continues from where the server reports that it stopped.
    ///
    /// The daemon reads the key file when it needs a token. If `keyFile` is nil, the key file is the one named by
    /// `GOOGLE_APPLICATION_CREDENTIALS`, or the one from `gcloud auth application-default login`.
    ///
    /// - Parameters:
    ///   - bucket: the bucket's name.
    ///   - object: the object's name, not percent-encoded.
    ///   - keyFile: a key file in JSON; nil for the usual one.
    ///   - endpoint: the server; nil for Google's.
    ///   - mode: `overwrite`, or `add` to fail if another object already exists. `update` is not supported.
    ///   - storageClass: a class such as `NEARLINE`; nil for the bucket's own.
    ///   - metadata: metadata to store with the object.
    /// - Returns: the upload. Its values are checked when a task is created.
    public static func gcs(
        bucket: String,
        object: String,
        keyFile: URL? = nil,
        endpoint: URL? = nil,
        mode: Mode = .overwrite,
        storageClass: String? = nil,
        metadata: [String: String] = [:]
    ) -> Uploader {
        Uploader(
            destination: .gcs(
                GCSDestination(
                    location: GCSLocation(bucket: bucket, object: object),
                    wish: GCSPlace.Wish(keyFile: keyFile?.path, endpoint: endpoint?.absoluteString),
                    mode: mode,
                    storageClass: storageClass,
                    metadata: metadata.sorted { $0.key < $1.key }.map { MetadataEntry($0.key, $0.value) }
                )
            )
        )
    }
}
