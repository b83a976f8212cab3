// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles

/// The destination of an app's upload to S3, as the app describes it. The signing key is looked up when a task is
/// created.
struct S3Destination: Sendable, Hashable {
    var location: S3Location
    var wish: S3Place.Wish
    var mode: Uploader.Mode
    var storageClass: String?
    var metadata: [MetadataEntry]

    /// The parameters of one upload, with its own marker.
    ///
    /// - Throws: `RequestError` if there is no key to sign with, or the parameters are not accepted.
    func parameters() throws(RequestError) -> S3Parameters {
        guard mode == .overwrite || mode == .add else {
            throw .invalidValue("S3 has no revisions to update: use the mode add or overwrite")
        }
        let environment = ProcessInfo.processInfo.environment
        let place: S3Place
        do throws(S3Place.Problem) {
            let directory = FileManager.default.currentDirectoryPath
            place = try S3Place.find(wish, environment, workingDirectory: directory)
        } catch {
            throw .invalidValue("No key signs the upload, since \(error.detail). \(error.advice)".droppingFullStop)
        }
        let marker = RandomKey.marker()
        var parameters = S3Parameters(S3Object(location, at: place.endpoint, keys: place.keys), marker: marker)
        parameters.leavesExisting = mode == .add
        parameters.storageClass = storageClass
        parameters.metadata = metadata
        return parameters
    }
}

extension String {
    fileprivate var droppingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
