// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageFiles

/// The options that only apply to an upload to S3; one of them also applies to an upload to an account.
package struct S3UploadOptions: Sendable, Equatable {
    package static let options: [CommandOption] =
        S3PlaceOptions.options("to") + [
            CommandOption("--storage-class", value: "CLASS", help: "to s3://, gs://: such as STANDARD_IA, NEARLINE"),
            CommandOption(
                "--max-parts",
                value: "N",
                help: "to s3://: the most parts of an object (AWS 10000, others 1000)"
            ),
            CommandOption(
                "--connections",
                value: "N",
                help: "to s3:// or an account: how many parts of a file are sent at once (8; 4 to an account)"
            ),
        ]

    package var place: S3PlaceOptions
    package var storageClass: String?
    package var mostParts: Int?
    package var connections: Int?
    /// The given options, as written on command lines.
    package var given: [String] = []

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        place = try S3PlaceOptions(&arguments)
        storageClass = arguments.takeValue("--storage-class")
        let (counts, lanes) = (S3Parameters.partCounts, S3Parameters.connectionCounts)
        mostParts = try arguments.takeValue("--max-parts", "a number up to \(counts.upperBound)") {
            Int(digits: $0).flatMap { counts.contains($0) ? $0 : nil }
        }
        connections = try arguments.takeValue("--connections", "a number from 1 to \(lanes.upperBound)") {
            Int(digits: $0).flatMap { lanes.contains($0) ? $0 : nil }
        }
        given = place.given
        for (isGiven, name) in [
            (storageClass != nil, "--storage-class"), (mostParts != nil, "--max-parts"),
            (connections != nil, "--connections"),
        ] where isGiven {
            given.append(name)
        }
    }

    /// The parameters of an upload.
    ///
    /// - Parameters:
    ///   - location: the object's place.
    ///   - place: the result of `place`.
    ///   - metadata: the owner's metadata for the object.
    ///   - leavesExisting: whether an existing object is kept.
    /// - Returns: the parameters, with their own marker.
    package func parameters(
        _ location: S3Location,
        at place: S3Place,
        metadata: [MetadataEntry],
        leavesExisting: Bool
    ) -> S3Parameters {
        let object = S3Object(location, at: place.endpoint, keys: place.keys)
        var parameters = S3Parameters(object, marker: RandomKey.marker())
        parameters.storageClass = storageClass
        parameters.mostParts = mostParts
        parameters.connections = connections
        parameters.metadata = metadata
        parameters.leavesExisting = leavesExisting
        return parameters
    }
}
