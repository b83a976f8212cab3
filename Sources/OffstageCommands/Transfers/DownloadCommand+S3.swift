// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles

/// Downloads from `s3://…`.
extension DownloadCommand {
    /// Whether a command line or a list names objects.
    ///
    /// - Throws: `UsageError` if some names are objects, and others are not.
    static func isObjects(_ named: [String]) throws(UsageError) -> Bool {
        let objects = named.count { S3Location($0) != nil }
        guard objects == 0 || objects == named.count else {
            throw UsageError("fetch files from s3:// and files from other places separately")
        }
        return objects > 0
    }

    /// Refuses options that do not apply to objects, or only to them.
    func checkOptions(isObjects: Bool) throws(UsageError) {
        guard isObjects else {
            guard let option = s3Options.given.first else { return }
            throw UsageError("\(option) is for a download from s3://BUCKET/KEY")
        }
        let given =
            [
                (options.method != nil, "-X"), (!options.headerTexts.isEmpty, "-H"), (options.user != nil, "-u"),
                (options.takesAnyStatus, "--any-status"),
                (!query.isEmpty, "--get"), (compresses, "--compressed"),
            ].filter(\.0).map(\.1) + options.curl.given
        if let option = given.first {
            throw UsageError("\(option) cannot be used with s3://, whose protocol defines the requests")
        }
    }

    /// Parses an object's name from the command line or a list.
    static func object(_ text: String, at place: S3Place) throws -> S3Object {
        guard let location = S3Location(text) else { throw UsageError("'\(text.redactedControls)' is not an object") }
        guard let last = location.key.utf8.last, last != UInt8(ascii: "/") else {
            throw UsageError("\(location.text) is a folder: name an object, as s3://BUCKET/KEY")
        }
        let object = S3Object(location, at: place.endpoint, keys: place.keys)
        do throws(RequestError) { try object.validate() } catch { throw CommandFailure(error.sentence, .usage) }
        return object
    }
}
