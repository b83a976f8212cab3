// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore

/// Starts `offstage-page` in the background and waits for its link.
struct PageLauncher {
    private let environment: [String: String]
    /// In milliseconds. The program may have to start a daemon, which checks its store first.
    private static let patience: Int32 = 130_000
    /// The most bytes of a link, or of the message instead of one.
    private static let longest = 4096

    init(_ environment: [String: String]) { self.environment = environment }

    /// - Parameter words: the program's options.
    /// - Returns: the link.
    /// - Throws: `CommandFailure` with the program's own sentence if it cannot serve.
    func launch(_ words: [String]) throws(CommandFailure) -> String {
        let program = try SiblingProgram(name: "offstage-page", variable: "OFFSTAGE_PAGE").find(environment)
        let (output, trouble) = (try pipe(program), try pipe(program))
        defer { for end in [output.reading, trouble.reading] { close(end) } }
        let arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in [arguments, variables].joined() { free(text) } }
        let process = offstage_spawn(program, arguments, variables, "/", -1, output.writing, trouble.writing)
        let code = errno
        for end in [output.writing, trouble.writing] { close(end) }
        guard process > 0 else {
            throw CommandFailure("\(program) cannot be started (\(String(cString: strerror(code)))): check it.")
        }
        if let link = firstLine(of: output.reading), Self.isLink(link) { return link }
        guard let said = firstLine(of: trouble.reading)?.redactedControls else {
            throw CommandFailure("\(program) ended without a link: run it by hand to see why.")
        }
        throw CommandFailure(Self.withoutName(said))
    }

    /// Whether a line is a link to a port of 127.0.0.0/8, which is always this machine.
    private static func isLink(_ line: String) -> Bool {
        let scheme = "http://"
        guard line.hasPrefix(scheme) else { return false }
        let authority = line.dropFirst(scheme.count).prefix { $0 != "/" }
        let place = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard place.count == 2, UInt16(place[1]) != nil else { return false }
        let parts = place[0].split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
    }

    private func pipe(_ program: String) throws(CommandFailure) -> (reading: Int32, writing: Int32) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) {
            offstage_pipe($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        guard result == 0 else {
            throw CommandFailure("\(program) cannot be started (\(String(cString: strerror(errno)))): try again.")
        }
        return (ends.0, ends.1)
    }

    private static func withoutName(_ sentence: String) -> String {
        let name = "offstage-page: "
        return sentence.hasPrefix(name) ? String(sentence.dropFirst(name.count)) : sentence
    }

    /// The first line of a pipe; nil if there is none.
    private func firstLine(of descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.longest)
        while !bytes.contains(UInt8(ascii: "\n")), bytes.count < Self.longest {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, Self.patience) > 0 else { break }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer.prefix(count))
        }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return line.isEmpty ? nil : line
    }
}
