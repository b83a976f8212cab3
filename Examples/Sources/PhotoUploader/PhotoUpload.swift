// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The app's data about an upload, for later launches: kept in the task's description.
struct PhotoUpload: Codable {
    var photo: String
    /// The body file's name. Never its path: the app's folder may be elsewhere after an update.
    var body: String

    init(photo: String, body: String) {
        self.photo = photo
        self.body = body
    }

    init?(_ task: URLSessionTask) {
        guard let description = task.taskDescription,
            let upload = try? JSONDecoder().decode(PhotoUpload.self, from: Data(description.utf8))
        else { return nil }
        self = upload
    }

    func taskDescription() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }
}
