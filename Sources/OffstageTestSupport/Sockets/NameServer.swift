// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A name server (RFC 1035) over UDP that answers, or does not, as the test decides.
package final class NameServer: Sendable {
    /// How the server reacts to a question.
    package enum Mood: Sendable, Equatable {
        /// Does not answer, like an unreachable server.
        case silent
        /// Answers that there is no such name.
        case knowsNone
        /// Answers every name with this IPv4 address, as four bytes, and no other.
        case answers([UInt8])
    }

    private struct State: Sendable {
        var mood: Mood
        var questions: [Mood] = []
    }

    private let socket: Int32
    private let state: Monitor<State>

    /// Starts listening on port 53 of an address in a namespace; needs root.
    package init(address: String, namespace: String, _ mood: Mood) throws {
        socket = try NetworkNamespace.run(namespace) { try Self.bind(address) }
        state = Monitor(State(mood: mood))
        let (socket, state) = (socket, state)
        try TestThread.start { Self.serve(socket, state) }
    }

    deinit { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Sets how the server reacts from now on.
    package func become(_ mood: Mood) { state.withLock { $0.mood = mood } }

    /// Waits until it has received so many questions in this mood.
    package func waitForQuestions(_ count: Int, _ mood: Mood, within seconds: Double = 30) throws {
        let found: Bool? = state.wait(TimeLimit(seconds: seconds)) {
            $0.questions.count { $0 == mood } >= count ? true : nil
        }
        guard found != nil else { throw TestError("The name server was not asked \(count) times in \(seconds) s.") }
    }

    private static func bind(_ address: String) throws -> Int32 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestError.system("No socket can be made") }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(53).bigEndian
        place.sin_addr.s_addr = inet_addr(address)
        let code = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let error = TestError.system("No name server can listen on \(address)")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func serve(_ socket: Int32, _ state: Monitor<State>) {
        defer { close(socket) }
        var buffer = [UInt8](repeating: 0, count: 1500)
        while true {
            var peer = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = withUnsafeMutablePointer(to: &peer) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(socket, &buffer, buffer.count, 0, $0, &length)
                }
            }
            if count < 0, errno == EINTR { continue }
            // A socket that was shut down keeps returning nothing.
            guard count > 0 else { return }
            let mood = state.withLock { state in
                state.questions.append(state.mood)
                return state.mood
            }
            guard let answer = answer(to: Array(buffer[..<count]), mood) else { continue }
            _ = withUnsafePointer(to: &peer) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(socket, answer, answer.count, Int32(MSG_NOSIGNAL), $0, length)
                }
            }
        }
    }

    /// Builds the answer: the question repeated, with the response; the question's additional records are left out.
    private static func answer(to query: [UInt8], _ mood: Mood) -> [UInt8]? {
        guard mood != .silent, query.count > 16 else { return nil }
        // The name is a sequence of labels, each after its length; type and class follow it.
        var end = 12
        while end < query.count, query[end] != 0 { end += Int(query[end]) + 1 }
        end += 5
        guard end <= query.count else { return nil }
        let isForIPv4 = query[end - 4] == 0 && query[end - 3] == 1
        var answer = Array(query[..<2])
        var records: [UInt8] = []
        if case .answers(let address) = mood, isForIPv4 {
            // The name as a pointer to the question, A, IN, a time to live of 0, four bytes.
            records = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4] + address
        }
        answer += [0x85, mood == .knowsNone ? 0x83 : 0x80, 0, 1, 0, records.isEmpty ? 0 : 1, 0, 0, 0, 0]
        return answer + query[12..<end] + records
    }
}
