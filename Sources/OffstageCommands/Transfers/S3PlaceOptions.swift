// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageFiles

/// The options for the server of an S3 object, and for the keys that sign.
package struct S3PlaceOptions: Sendable, Equatable {
    /// - Parameter way: a word for the help: "to", "from" or "with".
    /// - Returns: the options.
    package static func options(_ way: String) -> [CommandOption] {
        [
            CommandOption("--account", value: "NAME", help: "\(way) s3://: the account whose key signs"),
            CommandOption(
                "--profile",
                value: "NAME",
                help: "\(way) s3://: the profile in ~/.aws/credentials whose keys sign (default)"
            ),
            CommandOption("--region", value: "REGION", help: "\(way) s3://: the bucket's region (the profile's)"),
            CommandOption(
                "--endpoint-url",
                value: "URL",
                help:
                    "\(way) s3://\(way == "to" ? ", gs://" : ""): a server other than AWS\(way == "to" ? " or Google" : "") (the profile's)"
            ),
        ]
    }

    package var account: String?
    package var profile: String?
    package var region: String?
    package var endpoint: String?

    package init() {}

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        account = arguments.takeValue("--account")
        profile = arguments.takeValue("--profile")
        region = try arguments.takeValue("--region", "a region, such as us-east-1") {
            S3Endpoint.isRegion($0) ? $0 : nil
        }
        endpoint = arguments.takeValue("--endpoint-url")
        guard account == nil || profile == nil else {
            throw UsageError("--account and --profile both say whose key signs: give one of them")
        }
    }

    /// The given options, as written on command lines.
    package var given: [String] {
        [(account, "--account"), (profile, "--profile"), (region, "--region"), (endpoint, "--endpoint-url")].filter {
            $0.0 != nil
        }.map(\.1)
    }

    /// The place of the objects, and the keys that sign: of the account or profile named here or by the AWS command
    /// line's variables; otherwise of the only S3 account for the server; otherwise from the AWS command line's files.
    ///
    /// - Parameters:
    ///   - what: a word for what is signed, for sentences: "upload".
    ///   - isRehearsal: whether nothing is handed over, so no daemon is needed.
    ///   - waits: whether `--wait-for-credentials` was given, which waits only for accounts.
    ///   - context: the command's context.
    /// - Returns: the place.
    /// - Throws: `CommandFailure` if no key can sign there.
    package func place(
        of what: String,
        isRehearsal: Bool = false,
        waits: Bool = false,
        _ context: CommandContext
    ) throws -> S3Place {
        var wish = S3Place.Wish(account: account, profile: profile, region: region, endpoint: endpoint)
        var book: AccountBook?
        if account != nil {
            book = try AccountBook(context)
        } else if !wish.namesKeys(context.environment) {
            book = isRehearsal ? try? AccountBook(context) : try AccountBook(context)
            wish.account = book?.onlyS3Account(at: wish.server(context.environment))
        }
        if let name = wish.account, let account = try book?.account(name, .s3) {
            return S3Place(keys: .account(name), endpoint: try endpoint(of: account))
        }
        guard !waits else {
            throw UsageError("--wait-for-credentials waits for an account: name one with --account")
        }
        do throws(S3Place.Problem) {
            return try S3Place.find(wish, context.environment, workingDirectory: context.workingDirectory)
        } catch {
            let advice = book?.hasS3Accounts == true ? "Or name an account with --account." : nil
            throw CommandFailure(
                ["No key signs the \(what), since \(error.detail). \(error.advice)", advice].compactMap(\.self)
            )
        }
    }

    /// The account's server. It is an error to name a different one.
    private func endpoint(of account: Account) throws(CommandFailure) -> S3Endpoint {
        let own = account.s3 ?? S3Endpoint(base: nil, region: S3Endpoint.defaultRegion)
        if let endpoint, S3Place.tidied(endpoint) != own.base {
            throw CommandFailure(
                "The key of the account '\(account.name)' is for \(own.server) and cannot sign for \(RequestURL.redact(endpoint)).",
                .usage
            )
        }
        return S3Endpoint(base: own.base, region: region ?? own.region)
    }
}
