// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The certificate authorities named by a command line or its environment.
enum CertificateFile {
    /// - Parameters:
    ///   - named: the value of `--cacert`; without it, `SSL_CERT_FILE` is used.
    ///   - context: the command's context.
    /// - Returns: an absolute path; nil for the system's authorities.
    /// - Throws: `CommandFailure` for a file that cannot be read.
    static func find(_ named: String?, _ context: CommandContext) throws(CommandFailure) -> String? {
        let fromEnvironment = context.environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        guard let name = named ?? fromEnvironment else { return nil }
        let path = try context.absolute(name)
        if let detail = problem(path) {
            let origin = named == nil ? "SSL_CERT_FILE" : "--cacert"
            throw CommandFailure(
                "The certificate file \(path) cannot be read (\(detail)): name a readable PEM file with \(origin)."
            )
        }
        return path
    }

    /// A file named by an option, which the daemon will read.
    ///
    /// - Returns: its absolute path.
    /// - Throws: `CommandFailure` for a file that cannot be read.
    static func named(_ name: String, _ option: String, _ context: CommandContext) throws(CommandFailure) -> String {
        let path = try context.absolute(name)
        if let detail = problem(path) {
            throw CommandFailure("The file \(path) cannot be read (\(detail)): name a readable one with \(option).")
        }
        return path
    }

    /// Why the file cannot be used; nil if it can. The daemon reads it later and repeatedly, so it must not be a pipe.
    private static func problem(_ path: String) -> String? {
        var status = stat()
        guard access(path, R_OK) == 0, stat(path, &status) == 0 else { return String(cString: strerror(errno)) }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "it is not a regular file"
    }
}
