// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension DropboxParameters {
    /// Where Dropbox says that the file is.
    ///
    /// Dropbox's own paths are of one case or another: a name that differs in nothing else is the one that was asked for.
    ///
    /// - Parameter metadata: Dropbox's description of the file (FileMetadata).
    /// - Returns: the place, for people; nil where that is where it was asked to be, or nothing that could be asked for.
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
