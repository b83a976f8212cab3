// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The headers of `-H`: `Name: value`, or `@FILE` with one header per line.
package enum HeaderArguments {
    /// - Throws: `CommandFailure` for a header that may not be sent or a file that cannot be read.
    package static func read(_ texts: [String], _ context: CommandContext) throws -> [HeaderField] {
        var lines: [String] = []
        for text in texts {
            guard text.hasPrefix("@") else {
                lines.append(text)
                continue
            }
            let path = try context.absolute(String(text.dropFirst()))
            let bytes = try FileBytes.read(path, limit: 1 << 20, mayWait: true)
            for line in bytes.split(whereSeparator: { $0 == 10 }) {
                let trimmed = line.last == 13 ? line.dropLast() : line
                if !trimmed.isEmpty { lines.append(String(decoding: trimmed, as: UTF8.self)) }
            }
        }
        do throws(RequestError) {
            var headers: [HeaderField] = []
            for line in lines { headers.append(try HeaderField(parsing: line)) }
            return headers
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
    }
}
