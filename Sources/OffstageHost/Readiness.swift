// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reports the result of the start: through a pipe to a client, and through `NOTIFY_SOCKET` to systemd.
///
/// The systemd half is the documented datagram of `sd_notify(3)`; a library for it would use more memory than the rest
/// of an idle daemon's own code.
package struct Readiness: Sendable {
    private let pipe: Int32?
    private let notifySocket: String?

    package init(environment: [String: String]) {
        pipe = environment["OFFSTAGE_READY_FD"].flatMap(Int32.init)
        if let pipe { _ = fcntl(pipe, F_SETFD, FD_CLOEXEC) }
        notifySocket = environment["NOTIFY_SOCKET"]
    }

    /// Reports that the socket now answers.
    package func ready() {
        writeLine("READY\n")
        notify("READY=1")
    }

    /// Reports that the daemon is stopping in an orderly way.
    package func stopping() { notify("STOPPING=1") }

    package func failed(_ error: DaemonError) {
        if case .alreadyRunning = error { writeLine("RUNNING\n") } else { writeLine("ERROR \(error.sentence)\n") }
        notify("STATUS=\(error.sentence)")
    }

    private func writeLine(_ line: String) {
        guard let pipe else { return }
        var line = line
        line.withUTF8 { _ = write(pipe, $0.baseAddress, $0.count) }
        close(pipe)
    }

    private func notify(_ text: String) {
        guard let notifySocket, notifySocket.hasPrefix("/") || notifySocket.hasPrefix("@"),
            notifySocket.utf8.count < 108
        else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(notifySocket.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        var text = text
        text.withUTF8 { message in
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, message.baseAddress, message.count, Int32(MSG_NOSIGNAL), $0, length)
                }
            }
        }
    }
}
