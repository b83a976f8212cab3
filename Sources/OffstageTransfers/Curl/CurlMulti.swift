// SPDX-License-Identifier: Apache-2.0
import CCurl
import COffstageLinux
import Glibc

/// The multi handle: running transfers, connections kept for later ones, and their sockets in an epoll instance.
///
/// Only the engine's thread touches it.
final class CurlMulti {
    private let multi: UnsafeMutableRawPointer
    private let epoll: Int32
    private var watched: Set<Int32> = []
    /// Sockets that the kernel does not watch, for lack of memory or watches; these are polled instead.
    private var unwatched: [Int32: UInt32] = [:]
    /// When these sockets are polled next.
    private(set) var pollDue: ContinuousClock.Instant?
    /// When libcurl wants to be called even if no socket is ready.
    private(set) var timer: ContinuousClock.Instant?

    /// How many connections are kept open for other transfers to the same hosts.
    private static let keptConnections = 64

    static let hasLibrary = offstage_curl_init() == CURLE_OK

    /// - Parameter epoll: the instance that watches the sockets, with their descriptors as tokens.
    init?(epoll: Int32) {
        guard Self.hasLibrary, let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.epoll = epoll
        let context = Unmanaged.passUnretained(self).toOpaque()
        offstage_curl_multi_set_socket_callback(multi, Self.onSocket, context)
        offstage_curl_multi_set_timer_callback(multi, Self.onTimer, context)
        offstage_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.keptConnections)
    }

    deinit {
        curl_multi_cleanup(multi)
    }

    func add(_ handle: CurlHandle) -> Bool {
        curl_multi_add_handle(multi, handle.easy) == CURLM_OK
    }

    func remove(_ handle: CurlHandle) {
        curl_multi_remove_handle(multi, handle.easy)
    }

    /// Notifies libcurl that a socket is ready.
    func socketIsReady(_ socket: Int32, events: UInt32) {
        var mask: Int32 = 0
        if events & offstage_epoll_in != 0 { mask |= CURL_CSELECT_IN }
        if events & offstage_epoll_out != 0 { mask |= CURL_CSELECT_OUT }
        if events & (offstage_epoll_err | offstage_epoll_hup) != 0 { mask |= CURL_CSELECT_ERR }
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, mask, &running)
    }

    /// Calls libcurl if its timer is due; false if it was not.
    func runTimer() -> Bool {
        var hasRun = false
        // A new transfer sets the timer to "at once" several times in a row.
        for _ in 0..<4 {
            guard let timer, timer <= .now else { break }
            hasRun = true
            self.timer = nil
            var running: Int32 = 0
            curl_multi_socket_action(multi, CURL_SOCKET_BAD, 0, &running)
        }
        return hasRun
    }

    /// Removes the next ended transfer from the multi handle and returns it.
    func nextEnded() -> (attempt: CurlAttempt, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = offstage_curl_message_result(message)
            var context: UnsafeMutableRawPointer?
            offstage_curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
            guard let context else { continue }
            return (Unmanaged<CurlAttempt>.fromOpaque(context).takeUnretainedValue(), code)
        }
        return nil
    }

    private func watch(_ socket: Int32, what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            unwatched[socket] = nil
            if unwatched.isEmpty { pollDue = nil }
            if watched.remove(socket) != nil { _ = offstage_epoll_ctl(epoll, offstage_epoll_del, socket, 0, 0) }
            return
        }
        var events: UInt32 = 0
        if what & CURL_POLL_IN != 0 { events |= offstage_epoll_in }
        if what & CURL_POLL_OUT != 0 { events |= offstage_epoll_out }
        let isNew = watched.insert(socket).inserted
        let operations = isNew ? [offstage_epoll_add, offstage_epoll_mod] : [offstage_epoll_mod, offstage_epoll_add]
        // The other operation is for a descriptor whose number was reused before libcurl reported it.
        // checked: libcurl's sockets are descriptors, and never below 0 here
        for operation in operations
        where offstage_epoll_ctl(epoll, operation, socket, events, UInt64(socket)) == 0 {
            unwatched[socket] = nil
            return
        }
        unwatched[socket] = events
        if pollDue == nil { pollDue = .now + Self.pollInterval }  // checked: our own numbers
    }

    /// Tries the unwatched sockets, ready or not: libcurl's reads and writes do not block.
    func poll(now: ContinuousClock.Instant) {
        guard let due = pollDue, due <= now else { return }
        // checked: our own numbers, and descriptors
        pollDue = unwatched.isEmpty ? nil : now + Self.pollInterval
        for (socket, events) in unwatched {
            if offstage_epoll_ctl(epoll, offstage_epoll_add, socket, events, UInt64(socket)) == 0 {
                unwatched[socket] = nil
            }
            socketIsReady(socket, events: events)
        }
    }

    private static let pollInterval: Duration = .milliseconds(100)

    private static let onSocket: curl_socket_callback = { _, socket, what, context, _ in
        guard let context else { return 0 }
        Unmanaged<CurlMulti>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.watch(socket, what: what) }
        return 0
    }

    private static let onTimer: curl_multi_timer_callback = { _, milliseconds, context in
        guard let context else { return 0 }
        Unmanaged<CurlMulti>.fromOpaque(context)._withUnsafeGuaranteedRef { multi in
            multi.timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
        }
        return 0
    }
}
