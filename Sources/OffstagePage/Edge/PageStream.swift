// SPDX-License-Identifier: Apache-2.0
import CMicroHTTPD
import Glibc

/// What one page is told, as server-sent events (WHATWG HTML, 9.2). Belongs to the thread of the loop.
final class PageStream {
    private let connection: OpaquePointer
    /// Its socket, to see that the browser has gone.
    let socket: Int32
    private var bytes: [UInt8] = []
    private var first = 0
    private var isSuspended = false
    private(set) var isEnded = false

    init(_ connection: OpaquePointer) {
        self.connection = connection
        socket = offstage_mhd_socket(connection)
        bytes = Array("retry: 1000\n\n".utf8)
    }

    /// Sends a page something; one that is too far behind has to begin anew.
    func send(_ json: String) {
        guard !isEnded else { return }
        guard bytes.count - first < PageBounds.backlog else { return end() }
        bytes += Array("data: \(json)\n\n".utf8)
        resume()
    }

    /// Shows whether the browser is there still.
    func comment() {
        guard !isEnded else { return }
        bytes += Array(":\n\n".utf8)
        resume()
    }

    /// Ends the answer.
    func end() {
        isEnded = true
        resume()
    }

    /// The connection is gone.
    func forget() { (isEnded, isSuspended, bytes, first) = (true, false, [], 0) }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(connection)
    }

    /// Hands bytes on; suspends the connection when there are none.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard first < bytes.count else {
            if isEnded { return offstage_mhd_end_of_body }
            isSuspended = true
            MHD_suspend_connection(connection)
            return 0
        }
        let count = min(buffer.count, bytes.count - first)
        bytes[first..<first + count].withUnsafeBytes { buffer.copyMemory(from: $0) }  // checked: within both
        first += count
        if first == bytes.count { (bytes, first) = ([], 0) }
        return count
    }
}
