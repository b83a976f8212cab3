// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore
import OffstageFiles

extension Uploader {
    /// An upload to Amazon S3, or to a server that speaks S3 (docs/s3.md). Large files are sent in parts, several at
    /// once, and an interrupted upload continues with the missing parts.
    ///
    /// An `account` that a person has added to the daemon (`offstage account add s3`) holds the key and names its
    /// server. Without an account, values that are nil come from the AWS command line's variables and files, such as
    /// `AWS_PROFILE` and `~/.aws/config`. The daemon reads the keys when it signs.
    ///
    /// - Parameters:
    ///   - bucket: the bucket's name.
    ///   - key: the object's key, not percent-encoded.
    ///   - account: the account whose key signs, as shown by `offstage account list`; nil for a profile.
    ///   - profile: the profile whose keys sign; nil for the usual profile, or with an account.
    ///   - region: the bucket's region; nil for the account's or profile's.
    ///   - endpoint: the server, such as `https://minio.example:9000`; nil for the account's, the profile's, or AWS.
    ///   - mode: `overwrite`, or `add` to fail if another object already exists. `update` is not supported.
    ///   - storageClass: a class such as `STANDARD_IA`; nil for the bucket's own.
    ///   - metadata: metadata to store with the object (`x-amz-meta-…`).
    /// - Returns: the upload. Its values are checked when a task is created.
    public static func s3(
        bucket: String,
        key: String,
        account: String? = nil,
        profile: String? = nil,
        region: String? = nil,
        endpoint: URL? = nil,
        mode: Mode = .overwrite,
        storageClass: String? = nil,
        metadata: [String: String] = [:]
    ) -> Uploader {
        Uploader(
            destination: .s3(
                S3Destination(
                    location: S3Location(bucket: bucket, key: key),
                    wish: S3Place.Wish(
                        account: account,
                        profile: profile,
                        region: region,
                        endpoint: endpoint?.absoluteString
                    ),
                    mode: mode,
                    storageClass: storageClass,
                    metadata: metadata.sorted { $0.key < $1.key }.map { MetadataEntry($0.key, $0.value) }
                )
            )
        )
    }
}
