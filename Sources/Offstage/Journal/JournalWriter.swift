// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageProtocol
import Synchronization

/// Appends records to the hand-over journal of this process. Safe to use from any thread.
///
/// An appended record survives the process and the daemon: it is in the page cache of a file that the next daemon
/// reads. The journal outlives the connection that it came with, until the daemon seals it.
package final class JournalWriter: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// The record is in the journal; `mustRing` says whether to notify the daemon.
        case appended(JournalPosition, mustRing: Bool)
        /// There is no journal yet, or the daemon has sealed the current one.
        case sealed(generation: Int)
        /// A system call failed, such as on a full disk.
        case failed(errno: Int32)
    }

    private struct State {
        var descriptor: Int32 = -1
        var generation = 0
        var ring = RingRule()
    }

    private let state = Mutex(State())

    package init() {}

    deinit {
        state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    /// Continues with a new, empty journal.
    ///
    /// - Parameter descriptor: open for appending and reading; owned by the writer from now on.
    /// - Returns: the journal's generation, from 1.
    package func adopt(_ descriptor: Int32) -> Int {
        state.withLock { state in
            if state.descriptor >= 0 { close(state.descriptor) }
            state.descriptor = descriptor
            state.generation += 1
            state.ring = RingRule()
            return state.generation
        }
    }

    package func append(_ kind: JournalRecord.Kind, _ json: [UInt8]) -> Outcome {
        state.withLock { state in
            guard state.descriptor >= 0 else { return .sealed(generation: state.generation) }
            let sequence = state.ring.appended + 1
            let bytes = JournalRecord(kind: kind, sequence: sequence, json: json).encoded()
            guard Self.lock(state.descriptor) else { return .failed(errno: errno) }
            defer { flock(state.descriptor, LOCK_UN) }
            var status = stat()
            guard fstat(state.descriptor, &status) == 0 else { return .failed(errno: errno) }
            // The daemon removes the owner's write permission before it reads the journal for the last time.
            guard status.st_mode & S_IWUSR != 0 else { return .sealed(generation: state.generation) }
            guard Self.write(bytes, to: state.descriptor) else {
                let code = errno
                // An incomplete record would hide all that follow.
                ftruncate(state.descriptor, status.st_size)
                return .failed(errno: code)
            }
            let position = JournalPosition(generation: state.generation, sequence: sequence)
            return .appended(position, mustRing: state.ring.append())
        }
    }

    /// Notes that the daemon has committed the current journal up to a record.
    ///
    /// - Returns: whether to notify the daemon of more.
    package func committed(_ sequence: UInt64) -> Bool {
        state.withLock { $0.ring.commit(sequence) }
    }

    /// The last record that was appended.
    package var position: JournalPosition {
        state.withLock { JournalPosition(generation: $0.generation, sequence: $0.ring.appended) }
    }

    private static func lock(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
            }
            if count > 0 {
                offset += count
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
