// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles

/// The destination of an app's upload to Google Cloud Storage, as the app describes it. The key file is looked up when
/// a task is created.
struct GCSDestination: Sendable, Hashable {
    var location: GCSLocation
    var wish: GCSPlace.Wish
    var mode: Uploader.Mode
    var storageClass: String?
    var metadata: [MetadataEntry]

    /// The parameters of one upload, with its own marker.
    ///
    /// - Throws: `RequestError` if there is no key file, or the parameters are not accepted.
    func parameters() throws(RequestError) -> GCSParameters {
        guard mode == .overwrite || mode == .add else {
            throw .invalidValue("Google Cloud Storage has no revisions to update: use the mode add or overwrite")
        }
        let place: GCSPlace
        do throws(GCSPlace.Problem) {
            let directory = FileManager.default.currentDirectoryPath
            place = try GCSPlace.find(wish, ProcessInfo.processInfo.environment, workingDirectory: directory)
        } catch {
            let detail = "\(error.detail.prefix(1).uppercased())\(error.detail.dropFirst())"
            throw .invalidValue("\(detail). Put a key file there, or name one")
        }
        let marker = RandomKey.marker()
        var parameters = GCSParameters(location, at: place.endpoint, by: place.identity, marker: marker)
        parameters.leavesExisting = mode == .add
        parameters.storageClass = storageClass
        parameters.metadata = metadata
        return parameters
    }
}
