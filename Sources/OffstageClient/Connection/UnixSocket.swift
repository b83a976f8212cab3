// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// A connected Unix stream socket, closed at the end of the value's lifetime. Blocking; for one thread.
struct UnixSocket: ~Copyable {
    let descriptor: Int32

    /// A system call's error.
    struct Failure: Error {
        let code: Int32
        var text: String { String(cString: strerror(code)) }
    }

    /// Connects, close-on-exec.
    init(connectingTo path: String) throws(Failure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Failure(code: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // Otherwise an app without standard output would print to the daemon.
        offstage_hold_standard_descriptors()
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            throw Failure(code: code)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The user whose process is listening at the other end, as reported by the kernel.
    var peer: UInt32? {
        var user: uid_t = 0
        var process: pid_t = 0
        return offstage_peer_credentials(descriptor, &user, &process) == 0 ? user : nil
    }

    /// Writes all bytes; if the peer is gone, that is an error, not a signal.
    borrowing func write(_ bytes: [UInt8]) throws(Failure) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                offset += count
            } else if errno != EINTR {
                throw Failure(code: errno)
            }
        }
    }

    /// Writes as much as the socket accepts without waiting; nil if the peer is gone.
    borrowing func writeAvailable(_ bytes: ArraySlice<UInt8>) -> Int? {
        while true {
            let count = bytes.withUnsafeBytes { buffer in
                send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 { return count }
            if errno == EAGAIN { return 0 }
            guard errno == EINTR else { return nil }
        }
    }

    /// Whether something can be read within a number of milliseconds; -1 waits indefinitely. An interruption ends the
    /// wait early.
    borrowing func waitReadable(milliseconds: Int32, unless interruption: Interruption) throws(Failure) -> Bool {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&entries, 2, milliseconds)
        if count < 0, errno != EINTR { throw Failure(code: errno) }
        return count > 0 && entries[0].revents != 0
    }

    /// Reads what is available, at least one byte; empty at the end of the stream.
    ///
    /// - Returns: the bytes, and a descriptor that came with them, which the caller then owns.
    borrowing func read() throws(Failure) -> (bytes: [UInt8], passed: Int32?) {
        while true {
            var count = 0
            var passed: Int32 = -1
            let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, used in
                guard let start = buffer.baseAddress else { return }
                count = offstage_receive_descriptor(descriptor, start, buffer.count, &passed)
                used = max(0, count)
            }
            if count >= 0 { return (bytes, passed >= 0 ? passed : nil) }
            guard errno == EINTR else { throw Failure(code: errno) }
        }
    }
}
