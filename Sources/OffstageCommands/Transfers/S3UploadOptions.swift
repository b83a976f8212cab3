// SPDX-License-Identifier: Apache-2.0
import OffstageClient
package import OffstageCore

/// The options that only an upload to S3 has, and what the AWS command line's files and variables say.
package struct S3UploadOptions: Sendable, Equatable {
    package static let options: [CommandOption] = [
        CommandOption("--profile", value: "NAME", help: "to s3://: whose keys of ~/.aws/credentials sign (default)"),
        CommandOption("--region", value: "REGION", help: "to s3://: the bucket's region (the profile's)"),
        CommandOption("--endpoint-url", value: "URL", help: "to s3://: the server, if it is not AWS (the profile's)"),
        CommandOption("--storage-class", value: "CLASS", help: "to s3://: such as STANDARD_IA"),
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

    /// What is the same for all objects of a command line.
    ///
    /// - Throws: `CommandFailure` if the profile is missing, or cannot be used.
    package func place(_ context: CommandContext) throws -> Place {
        let environment = context.environment
        func variable(_ names: String...) -> String? { names.compactMap { environment[$0] }.first { !$0.isEmpty } }
        let name = profile ?? variable("AWS_PROFILE", "AWS_DEFAULT_PROFILE") ?? "default"
        let home = variable("HOME") ?? "/"
        let profile = AWSProfile(
            name: name,
            credentialsPath: try context.absolute(
                variable("AWS_SHARED_CREDENTIALS_FILE") ?? "\(home)/.aws/credentials"
            ),
            configPath: try context.absolute(variable("AWS_CONFIG_FILE") ?? "\(home)/.aws/config")
        )
        let files = AWSProfileFiles(
            name,
            credentials: try? FileBytes.read(profile.credentialsPath, limit: AWSProfileFiles.longestFile),
            config: try? FileBytes.read(profile.configPath, limit: AWSProfileFiles.longestFile)
        )
        if case .failure(let failure) = files.keySource(of: profile) {
            let advice =
                variable("AWS_ACCESS_KEY_ID") == nil
                ? "'aws configure --profile \(name.redactedControls)' makes one; docs/s3.md shows the file."
                : "The keys in AWS_ACCESS_KEY_ID end with this shell, and the upload may not: write them to a profile."
            throw CommandFailure("No key signs the upload, since \(failure.detail). \(advice)")
        }
        let region = region ?? variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? files.values["region"]
        let base = endpoint ?? variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? files.values["endpoint_url"]
        return Place(
            profile: profile,
            endpoint: S3Endpoint(base: base.map(Self.withoutSlash), region: region ?? S3Endpoint.defaultRegion)
        )
    }

    /// Where objects go, and whose keys sign.
    package struct Place: Sendable, Equatable {
        package var profile: AWSProfile
        package var endpoint: S3Endpoint
    }

    private static func withoutSlash(_ url: String) -> String {
        var url = url
        while url.hasSuffix("/") { url.removeLast() }
        return url
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
        at place: Place,
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
