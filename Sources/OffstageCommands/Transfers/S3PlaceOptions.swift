// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageFiles

/// The options that say at which server an object of S3 is, and whose keys sign.
package struct S3PlaceOptions: Sendable, Equatable {
    /// - Parameter way: for the help: "to" or "from".
    /// - Returns: the options.
    package static func options(_ way: String) -> [CommandOption] {
        [
            CommandOption(
                "--profile",
                value: "NAME",
                help: "\(way) s3://: whose keys of ~/.aws/credentials sign (default)"
            ),
            CommandOption("--region", value: "REGION", help: "\(way) s3://: the bucket's region (the profile's)"),
            CommandOption(
                "--endpoint-url",
                value: "URL",
                help:
                    "\(way) s3://\(way == "to" ? ", gs://" : ""): another server than AWS\(way == "to" ? " or Google" : "") (the profile's)"
            ),
        ]
    }

    package var profile: String?
    package var region: String?
    package var endpoint: String?

    package init() {}

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        profile = arguments.takeValue("--profile")
        region = try arguments.takeValue("--region", "a region, such as us-east-1") {
            S3Endpoint.isRegion($0) ? $0 : nil
        }
        endpoint = arguments.takeValue("--endpoint-url")
    }

    /// The options that were given, as they are written.
    package var given: [String] {
        [(profile, "--profile"), (region, "--region"), (endpoint, "--endpoint-url")].filter { $0.0 != nil }.map(\.1)
    }

    /// Where the objects are, and whose keys sign: what the AWS command line's files and variables say, if nothing else is
    /// said.
    ///
    /// - Parameters:
    ///   - what: what is signed, for sentences: "upload".
    ///   - context: the command's.
    /// - Returns: the place.
    /// - Throws: `CommandFailure` if no key can sign there.
    package func place(of what: String, _ context: CommandContext) throws(CommandFailure) -> S3Place {
        do throws(S3Place.Problem) {
            return try S3Place.find(
                S3Place.Wish(profile: profile, region: region, endpoint: endpoint),
                context.environment,
                workingDirectory: context.workingDirectory
            )
        } catch {
            throw CommandFailure("No key signs the \(what), since \(error.detail). \(error.advice)")
        }
    }
}
