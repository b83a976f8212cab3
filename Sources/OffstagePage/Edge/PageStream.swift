// SPDX-License-Identifier: Apache-2.0
import CMicroHTTPD
import Glibc

/// What one page is told, as server-sent events (WHATWG HTML, 9.2). Belongs to the thread of the loop.
final class PageStream {
    private let connection: OpaquePointer
    /// Its socket, to see that the browser has gone.
    let socket: Int32
    private var backlog = PageBacklog("retry: 1000\n\n")
    private var isSuspended = false
    private(set) var isEnded = false

    init(_ connection: OpaquePointer) {
        self.connection = connection
        socket = offstage_mhd_socket(connection)
    }

    /// Sends a page something; one that is too far behind has to begin anew.
    func send(_ json: String) {
        guard !isEnded else { return }
        guard backlog.count < PageBounds.backlog else { return end() }
        backlog.append("data: \(json)\n\n")
        resume()
    }

    /// Shows whether the browser is there still.
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

    /// Hands bytes on; suspends the connection when there are none.
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
