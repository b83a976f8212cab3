// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
package import OffstageProtocol
package import OffstageRuntime

/// One client's socket: splits the incoming bytes into frames, and sends as much as the peer reads.
///
/// Belongs to the server actor; every call is on the loop.
package final class Connection {
    package let id: UInt64
    /// The socket; -1 once it is closed, because the number may then belong to another file.
    package private(set) var fileDescriptor: Int32
    package let peerProcess: Int32
    package var watch: EventLoop.Watch?
    /// The result of the peer's greeting.
    package var greeting = Greeting.none
    /// Whether it belongs to an app, which keeps it for its lifetime, suspended or not.
    package var isOfApp = false
    package var watchedEvents = offstage_epoll_in
    /// Its observations of transfers.
    package var observations = TransferObservations()
    /// Whether it is dropped as soon as the current calls have returned; nothing more is sent.
    package var isEnding = false
    /// Whether complete frames wait to be handled.
    package var hasFrames = false
    /// A request that waits until earlier ones are answered.
    package var heldFrame: WireFrame?
    /// The uptime in seconds when the first byte of an unfinished frame arrived; nil if there is no such frame.
    package var frameBegan: Double?
    /// A counter that grows whenever any connection is served.
    package var lastServed: UInt64 = 0

    private var decoder = FrameDecoder()
    private var outgoing = OutgoingBytes()

    package static let budget = ConnectionBudget()

    package enum Greeting {
        /// No greeting yet.
        case none
        case compatible
        /// The greeting cannot be decoded, or has another protocol version.
        case incompatible
    }

    /// The result of a read.
    package enum Reading {
        case something
        case nothing
        case hungUp
    }

    package init(id: UInt64, fileDescriptor: Int32, peerProcess: Int32) {
        self.id = id
        self.fileDescriptor = fileDescriptor
        self.peerProcess = peerProcess
    }

    /// Reads the available bytes, up to 64 KiB at a time so that one peer cannot monopolize the loop.
    ///
    /// - Returns: whether bytes have arrived, or the peer has hung up.
    package func readAvailable() -> Reading {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            let count = recv(fileDescriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .hungUp }
            // checked: it is positive, and the socket has filled no more than the buffer
            decoder.append(UnsafeBufferPointer(rebasing: buffer[..<count]))
            hasFrames = decoder.hasNext
            return .something
        }
    }

    /// The next complete frame; nil if more bytes must be read first.
    ///
    /// - Throws: if the peer does not speak the protocol.
    package func nextFrame() throws(FrameDecoder.Violation) -> WireFrame? {
        if let frame = heldFrame {
            heldFrame = nil
            return frame
        }
        let frame = try decoder.next()
        hasFrames = decoder.hasNext
        return frame
    }

    /// Whether only part of a frame has arrived.
    package var isMidFrame: Bool { !hasFrames && decoder.isMidFrame }

    /// The memory used by its frames and answers, in bytes.
    // checked: lengths of buffers in memory
    package var heldBytes: Int { decoder.heldBytes + outgoing.capacity + (heldFrame?.payload.count ?? 0) }

    /// The number of bytes that the peer has not read.
    package var unread: Int { outgoing.unread }

    /// Queues bytes and sends as many as the socket takes. Returns false if the peer should be dropped.
    ///
    /// The descriptor, unless it is -1, is sent with the frame's first byte, and is closed afterwards.
    package func send(_ frame: WireFrame, descriptor: Int32 = -1) -> Bool {
        guard fileDescriptor >= 0, !isEnding else {
            if descriptor >= 0 { close(descriptor) }
            return false
        }
        outgoing.append(frame, descriptor: descriptor)
        return flush() && unread <= Self.budget.unread
    }

    /// Sends the queued bytes. Returns false if the peer is gone.
    package func flush() -> Bool { fileDescriptor >= 0 && outgoing.flush(to: fileDescriptor) }

    /// Closes the socket, and descriptors that were not sent.
    package func closeAll() {
        guard fileDescriptor >= 0 else { return }
        close(fileDescriptor)
        fileDescriptor = -1
        outgoing.closeDescriptors()
    }

    package var hasUnsent: Bool { !outgoing.isEmpty }
    package var hasSaidHello: Bool { greeting != .none }
    package var isCompatible: Bool { greeting == .compatible }
}
