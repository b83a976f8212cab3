// SPDX-License-Identifier: Apache-2.0
import CMicroHTTPD
import Glibc

/// The updates for one page, as server-sent events (WHATWG HTML, 9.2). Belongs to the loop's thread.
final class PageStream {
    private let connection: OpaquePointer
    /// The connection's socket, to detect that the browser has gone.
    let socket: Int32
    private var backlog = PageBacklog("retry: 1000\n\n")
    private var isSuspended = false
    private(set) var isEnded = false

    init(_ connection: OpaquePointer) {
        self.connection = connection
        socket = offstage_mhd_socket(connection)
    }

    /// Sends a message to the page. A page that is too far behind must start over.
    func send(_ json: String) {
        guard !isEnded else { return }
        guard backlog.count < PageBounds.backlog else { return end() }
        backlog.append("data: \(json)\n\n")
        resume()
    }

    /// Sends a comment, to detect whether the browser is still there.
    func comment() {
        guard !isEnded else { return }
        backlog.append(":\n\n")
        resume()
    }

    /// Ends the answer.
    func end() {
        isEnded = true
        resume()
    }

    /// The connection is gone.
    func forget() { (isEnded, isSuspended, backlog) = (true, false, PageBacklog()) }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(connection)
    }

    /// Passes on bytes. Suspends the connection if there are none.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard backlog.count > 0 else {
            if isEnded { return offstage_mhd_end_of_body }
            isSuspended = true
            MHD_suspend_connection(connection)
            return 0
        }
        return backlog.read(into: buffer)
    }
}
