// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The app's own Dropbox client, as on a phone: it holds a token, and sends files that fit into one request from the
/// process itself. Larger files would need upload sessions, retries, and a token that is renewed.
final class DropboxClient {
    private let content: URL
    private let token: String

    /// - Parameters:
    ///   - content: `https://content.dropboxapi.com/2`, or an emulator's.
    ///   - token: an access token from the app's own sign-in.
    init(content: URL, token: String) {
        self.content = content
        self.token = token
    }

    /// Calls back on the main queue, once.
    func upload(
        _ file: URL,
        to path: String,
        success: @escaping (String) -> Void,
        failure: @escaping (Error) -> Void
    ) {
        var request = URLRequest(url: content.appendingPathComponent("files/upload"))
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        do {
            request.setValue(try Self.header(Argument(path: path, mode: "add")), forHTTPHeaderField: "Dropbox-API-Arg")
        } catch {
            DispatchQueue.main.async { failure(error) }
            return
        }
        let task = URLSession.shared.uploadTask(with: request, fromFile: file) { data, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            let file = data.flatMap { try? JSONDecoder().decode(Metadata.self, from: $0) }
            DispatchQueue.main.async {
                if let file, status == 200 {
                    success(file.path)
                } else {
                    failure(error ?? URLError(.badServerResponse))
                }
            }
        }
        task.resume()
    }

    private struct Argument: Encodable {
        var path: String
        var mode: String
    }

    /// An argument encoded for a header: JSON in printable ASCII.
    private static func header(_ argument: Argument) throws -> String {
        let json = String(decoding: try JSONEncoder().encode(argument), as: UTF8.self)
        return json.utf16.map { unit in
            (0x20..<0x7F).contains(unit) ? String(UnicodeScalar(UInt8(unit))) : String(format: "\\u%04x", unit)
        }.joined()
    }

    private struct Metadata: Decodable {
        var path: String

        enum CodingKeys: String, CodingKey { case path = "path_display" }
    }
}
