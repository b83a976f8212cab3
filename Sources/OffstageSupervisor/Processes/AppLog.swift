// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The file that a launched app's output goes to.
enum AppLog {
    /// Opens the log for appending, as a descriptor above the standard ones, cutting it first if it is too long.
    static func open(_ path: String) throws(LaunchError) -> Int32 {
        if let slash = path.lastSlash { makeFolders(String(path[..<slash])) }
        let opened = Glibc.open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw .log(path: path, code: errno) }
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw .log(path: path, code: EINVAL)
        }
        _ = fcntl(opened, F_SETFL, O_APPEND)
        if Int(status.st_size) > AppLauncher.longestLog { cut(opened, length: Int(status.st_size)) }
        let raised = fcntl(opened, F_DUPFD_CLOEXEC, 10)
        guard raised >= 0 else { return opened }
        close(opened)
        return raised
    }

    /// Keeps the end of the log, starting with a whole line. In place, because a process that is still running
    /// continues to write to it.
    private static func cut(_ file: Int32, length: Int) {
        var kept = [UInt8](repeating: 0, count: AppLauncher.keptLog)
        var count = 0
        while count < kept.count {
            let offset = length - kept.count + count
            let read = kept.withUnsafeMutableBytes { bytes in
                pread(file, bytes.baseAddress?.advanced(by: count), bytes.count - count, off_t(offset))
            }
            guard read > 0 else { break }
            count += read
        }
        let tail = kept[..<count]
        let lines = tail.firstIndex(of: UInt8(ascii: "\n")).map { tail[($0 + 1)...] } ?? tail
        guard ftruncate(file, 0) == 0 else { return }
        let whole = Array(lines)
        var written = 0
        while written < whole.count {
            let more = whole.withUnsafeBytes { bytes in
                write(file, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            guard more > 0 else { return }
            written += more
        }
    }

    /// Makes a folder and its parents, accessible only to this user.
    private static func makeFolders(_ path: String) {
        guard !path.isEmpty, access(path, F_OK) != 0 else { return }
        if let slash = path.lastSlash { makeFolders(String(path[..<slash])) }
        mkdir(path, 0o700)
    }
}
