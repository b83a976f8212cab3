// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageFiles

/// The options that only an upload to S3 has, and what the AWS command line's files and variables say.
package struct S3UploadOptions: Sendable, Equatable {
    package static let options: [CommandOption] = [
        CommandOption("--profile", value: "NAME", help: "to s3://: whose keys of ~/.aws/credentials sign (default)"),
        CommandOption("--region", value: "REGION", help: "to s3://: the bucket's region (the profile's)"),
        CommandOption(
            "--endpoint-url",
            value: "URL",
            help: "to s3://, gs://: another server than AWS (the profile's) or Google"
        ),
        CommandOption("--storage-class", value: "CLASS", help: "to s3://, gs://: such as STANDARD_IA, NEARLINE"),
        CommandOption(
            "--max-parts",
            value: "N",
            help: "to s3://: the most parts of an object (AWS 10000, others 1000)"
        ),
        CommandOption("--connections", value: "N", help: "to s3://: how many parts are sent at once (8)"),
    ]

    package var profile: String?
    package var region: String?
    package var endpoint: String?
    package var storageClass: String?
    package var mostParts: Int?
    package var connections: Int?
    /// The options that were given, as they are written.
    package var given: [String] = []

    package init() {}

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        profile = arguments.takeValue("--profile")
        region = try arguments.takeValue("--region", "a region, such as us-east-1") {
            S3Endpoint.isRegion($0) ? $0 : nil
        }
        endpoint = arguments.takeValue("--endpoint-url")
        storageClass = arguments.takeValue("--storage-class")
        let (counts, lanes) = (S3Parameters.partCounts, S3Parameters.connectionCounts)
        mostParts = try arguments.takeValue("--max-parts", "a number up to \(counts.upperBound)") {
            Int(digits: $0).flatMap { counts.contains($0) ? $0 : nil }
        }
        connections = try arguments.takeValue("--connections", "a number from 1 to \(lanes.upperBound)") {
            Int(digits: $0).flatMap { lanes.contains($0) ? $0 : nil }
        }
        for (isGiven, name) in [
            (profile != nil, "--profile"), (region != nil, "--region"), (endpoint != nil, "--endpoint-url"),
            (storageClass != nil, "--storage-class"), (mostParts != nil, "--max-parts"),
            (connections != nil, "--connections"),
        ] where isGiven {
            given.append(name)
        }
    }

    /// Where the objects go, and whose keys sign.
    ///
    /// - Throws: `CommandFailure` if no key can sign there.
    package func place(_ context: CommandContext) throws(CommandFailure) -> S3Place {
        do throws(S3Place.Problem) {
            return try S3Place.find(
                S3Place.Wish(profile: profile, region: region, endpoint: endpoint),
                context.environment,
                workingDirectory: context.workingDirectory
            )
        } catch {
            throw CommandFailure("No key signs the upload, since \(error.detail). \(error.advice)")
        }
    }

    /// The parameters of an upload.
    ///
    /// - Parameters:
    ///   - location: the object's place.
    ///   - place: as `place` says.
    ///   - metadata: what the owner wants to be kept with it.
    ///   - leavesExisting: whether an object that is there already stays.
    /// - Returns: the parameters, with a marker of their own.
    package func parameters(
        _ location: S3Location,
        at place: S3Place,
        metadata: [MetadataEntry],
        leavesExisting: Bool
    ) -> S3Parameters {
        var parameters = S3Parameters(
            location,
            at: place.endpoint,
            profile: place.profile,
            marker: RandomKey.marker()
        )
        parameters.storageClass = storageClass
        parameters.mostParts = mostParts
        parameters.connections = connections
        parameters.metadata = metadata
        parameters.leavesExisting = leavesExisting
        return parameters
    }
}
