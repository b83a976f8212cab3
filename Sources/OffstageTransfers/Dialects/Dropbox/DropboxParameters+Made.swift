// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension DropboxParameters {
    /// The place of the file according to Dropbox.
    ///
    /// The case of Dropbox's own paths varies: a name that differs only in case is the requested one.
    ///
    /// - Parameter metadata: Dropbox's description of the file (FileMetadata).
    /// - Returns: the place, for display; nil if it is the requested place, or not a valid path for a request.
    package func destination(saidBy metadata: DropboxJSON) -> String? {
        var made = self
        if path.hasPrefix("/"), let display = metadata["path_display"].string, display.hasPrefix("/") {
            made.path = display
        } else if let slash = path.lastSlash, let name = metadata["name"].string, name.lastSlash == nil {
            made.path = path[..<slash] + "/" + name
        } else {
            return nil
        }
        guard made.path.lowercased() != path.lowercased() else { return nil }
        do throws(RequestError) { try made.validate() } catch { return nil }
        return made.destination
    }
}
