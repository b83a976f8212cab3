// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// One client's socket: cuts what arrives into frames and sends what is to be sent as far as the peer reads.
///
/// Belongs to the server actor; every call is on the loop.
final class Connection {
    let id: UInt64
    /// -1 once it is closed: the number may be another file's by then.
    private(set) var fileDescriptor: Int32
    let peerProcess: Int32
    var watch: EventLoop.Watch?
    /// What its peer has said for a greeting.
    var greeting = Greeting.none
    /// Whether it is an app's own, which it keeps as long as it lives, suspended or not.
    var isOfApp = false
    var watchedEvents = offstage_epoll_in
    /// What it is told of transfers.
    var observations = TransferObservations()
    /// It is dropped as soon as what is under way has returned; nothing is sent any more.
    var isEnding = false
    /// Whether frames have come that have not been taken up.
    var hasFrames = false
    /// A request that waits for others to be answered.
    var heldFrame: WireFrame?
    /// When what is held of a frame began to come, uptime in seconds; nil when nothing is.
    var frameBegan: Double?
    /// Grows with everything that is done for any connection.
    var lastServed: UInt64 = 0

    private var decoder = FrameDecoder()
    private var outgoing = OutgoingBytes()

    static let budget = ConnectionBudget()

    enum Greeting {
        /// Nothing yet.
        case none
        case compatible
        /// It cannot be read, or is of another protocol.
        case incompatible
    }

    /// What a reading has brought.
    enum Reading {
        case something
        case nothing
        case hungUp
    }

    init(id: UInt64, fileDescriptor: Int32, peerProcess: Int32) {
        self.id = id
        self.fileDescriptor = fileDescriptor
        self.peerProcess = peerProcess
    }

    /// Reads what is there, up to 64 KiB in one go so that one peer cannot keep the loop to itself.
    ///
    /// - Returns: whether something has come, or the peer has hung up.
    func readAvailable() -> Reading {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            let count = recv(fileDescriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .hungUp }
            decoder.append(UnsafeBufferPointer(rebasing: buffer[..<count]))
            hasFrames = decoder.hasNext
            return .something
        }
    }

    /// The next whole frame; nil when more has to be read first.
    ///
    /// - Throws: when the peer does not speak the protocol.
    func nextFrame() throws(FrameDecoder.Violation) -> WireFrame? {
        if let frame = heldFrame {
            heldFrame = nil
            return frame
        }
        let frame = try decoder.next()
        hasFrames = decoder.hasNext
        return frame
    }

    /// Whether part of a frame has come, and not the rest.
    var isMidFrame: Bool { !hasFrames && decoder.isMidFrame }

    /// The memory that its frames and answers take, in bytes.
    // checked: lengths of buffers in memory
    var heldBytes: Int { decoder.heldBytes + outgoing.capacity + (heldFrame?.payload.count ?? 0) }

    /// Bytes that the peer has not read.
    var unread: Int { outgoing.unread }

    /// Queues bytes and sends as many as the socket takes. Returns false when the peer is to be dropped.
    ///
    /// The descriptor, unless it is -1, goes with the frame's first byte, and is closed here when it has been sent.
    func send(_ frame: WireFrame, descriptor: Int32 = -1) -> Bool {
        guard fileDescriptor >= 0, !isEnding else {
            if descriptor >= 0 { close(descriptor) }
            return false
        }
        outgoing.append(frame, descriptor: descriptor)
        return flush() && unread <= Self.budget.unread
    }

    /// Sends what is queued. Returns false when the peer is gone.
    func flush() -> Bool { fileDescriptor >= 0 && outgoing.flush(to: fileDescriptor) }

    /// Closes the socket, and what could not be sent any more.
    func closeAll() {
        guard fileDescriptor >= 0 else { return }
        close(fileDescriptor)
        fileDescriptor = -1
        outgoing.closeDescriptors()
    }

    var hasUnsent: Bool { !outgoing.isEmpty }
    var hasSaidHello: Bool { greeting != .none }
    var isCompatible: Bool { greeting == .compatible }
}
