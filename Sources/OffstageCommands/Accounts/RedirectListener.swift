// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// Waits on 127.0.0.1 for the browser to deliver the code. Closes everything when it is deallocated.
package final class RedirectListener {
    package let port: UInt16
    private let listener: Int32
    private var visitors: [Visitor] = []

    private struct Visitor {
        let descriptor: Int32
        var bytes: [UInt8] = []
    }

    /// A browser opens connections in advance, and sends nothing over some.
    private static let visitorLimit = 32

    /// - Parameter port: 0 for any free one.
    /// - Throws: `CommandFailure` when it is in use.
    package init(port: UInt16) throws(CommandFailure) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let hasBegun = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(descriptor, place, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, place, &length) == 0
            }
        }
        guard hasBegun else {
            let why = String(cString: strerror(errno))
            close(descriptor)
            throw CommandFailure(
                "Cannot listen on 127.0.0.1:\(port) (\(why)): choose another port with --port, or leave it out and paste the code."
            )
        }
        self.port = UInt16(bigEndian: place.sin_port)
        listener = descriptor
    }

    deinit {
        for visitor in visitors { close(visitor.descriptor) }
        close(listener)
    }

    /// Where the browser is sent with the code. It must be among the app's redirect URIs.
    package var uri: String { "http://127.0.0.1:\(port)/" }

    /// The address to open in the browser. It contains no secret, and redirects only this user.
    package var beginning: String { "http://127.0.0.1:\(port)\(RedirectRequest.beginning)" }

    /// Waits for the one request that delivers the code, and answers all others.
    ///
    /// - Parameters:
    ///   - state: the value that the request must return.
    ///   - page: where a browser that begins here is redirected.
    ///   - signals: readable when the user wants to stop.
    ///   - seconds: how long to wait.
    /// - Returns: `code` or `declined`; nil if the user wants to stop.
    /// - Throws: `CommandFailure` if no request arrived in time.
    package func wait(
        state: String,
        page: String,
        signals: Int32,
        seconds: Int32
    ) throws(CommandFailure) -> RedirectRequest? {
        let end = ContinuousClock.now + .seconds(Int(seconds))
        while true {
            let left = ContinuousClock.now.duration(to: end).components.seconds
            guard left >= 0, ContinuousClock.now < end else {
                throw CommandFailure(
                    "The browser delivered no code within \(seconds / 60) minutes: run the command again, or leave out --port and paste the code."
                )
            }
            var items = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            items.append(pollfd(fd: signals, events: Int16(POLLIN), revents: 0))
            items += visitors.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            guard poll(&items, nfds_t(items.count), Int32(clamping: left + 1) * 1000) > 0 else { continue }
            if items[1].revents != 0 { return nil }
            // Backwards, as answered visitors are removed.
            for index in visitors.indices.reversed() where items[index + 2].revents != 0 {
                if let found = serve(index, state, page) { return found }
            }
            if items[0].revents != 0 { accept() }
        }
    }

    private func accept() {
        let descriptor = offstage_accept(listener)
        guard descriptor >= 0 else { return }
        // Another user of the machine could deliver a code of their own, and the files would go to their folder.
        guard LocalPeer.owner(of: descriptor) == geteuid() else {
            Self.answer(RedirectRequest.refusal, descriptor)
            return
        }
        visitors.append(Visitor(descriptor: descriptor))
        if visitors.count > Self.visitorLimit { close(visitors.removeFirst().descriptor) }
    }

    /// - Returns: the request, if it is the expected one.
    private func serve(_ index: Int, _ state: String, _ page: String) -> RedirectRequest? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let descriptor = visitors[index].descriptor
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return nil }
        guard count > 0 else {
            close(visitors.remove(at: index).descriptor)
            return nil
        }
        visitors[index].bytes += buffer[..<count]
        let request = RedirectRequest(visitors[index].bytes, state: state)
        guard let answer = request.answer(leadingTo: page) else { return nil }
        visitors.remove(at: index)
        Self.answer(answer, descriptor)
        switch request {
        case .stranger, .begin: return nil
        case .incomplete, .code, .declined: return request
        }
    }

    private static func answer(_ text: String, _ descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(descriptor, Int32(SHUT_WR))
        close(descriptor)
    }
}
