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
    var hasSaidHello = false
    var isCompatible = false
    /// Whether it is an app's own, which it keeps as long as it lives, suspended or not.
    var isOfApp = false
    var watchedEvents = offstage_epoll_in
    /// What it is told of: its tokens in the queue, by whether outcomes alone are told.
    var observations: [Bool: UInt64] = [:]
    /// Tokens of those that are told of all transfers.
    var observationsOfAll: [Bool: UInt64] = [:]
    /// How many transfers it watches by number.
    var watchedTransfers = 0
    /// It is dropped as soon as what is under way has returned; nothing is sent any more.
    var isEnding = false
    /// Whether frames have come that have not been taken up.
    var hasFrames = false
    /// A request that waits for others to be answered.
    var heldFrame: WireFrame?
    /// Whether the last reading brought something.
    private(set) var hasRead = false
    /// When what is held of a frame began to come, uptime in seconds; nil when nothing is.
    var frameBegan: Double?
    /// Grows with everything that is done for any connection.
    var lastServed: UInt64 = 0

    private var decoder = FrameDecoder()
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// Descriptors that go with the byte at a position of `outgoing`, in order.
    private var attachments: [(position: Int, descriptor: Int32)] = []

    static let budget = ConnectionBudget()

    init(id: UInt64, fileDescriptor: Int32, peerProcess: Int32) {
        self.id = id
        self.fileDescriptor = fileDescriptor
        self.peerProcess = peerProcess
    }

    /// Reads what is there, up to 64 KiB in one go so that one peer cannot keep the loop to itself.
    ///
    /// - Returns: false when the peer has hung up.
    func readAvailable() -> Bool {
        var isOpen = true
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            let count = recv(fileDescriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 {
                decoder.append(UnsafeBufferPointer(rebasing: buffer[..<count]))
                hasFrames = decoder.hasNext
                hasRead = true
            } else {
                hasRead = false
                isOpen = count < 0 && (errno == EAGAIN || errno == EINTR)
            }
        }
        return isOpen
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
    var unread: Int { outgoing.count - sent }  // checked: never more is sent than there is

    /// Queues bytes and sends as many as the socket takes. Returns false when the peer is to be dropped.
    ///
    /// The descriptor, unless it is -1, goes with the frame's first byte, and is closed here when it has been sent.
    func send(_ frame: WireFrame, descriptor: Int32 = -1) -> Bool {
        guard fileDescriptor >= 0, !isEnding else {
            if descriptor >= 0 { close(descriptor) }
            return false
        }
        if descriptor >= 0 { attachments.append((outgoing.count, descriptor)) }
        outgoing += frame.encoded()
        return flush() && unread <= Self.budget.unread
    }

    /// Sends what is queued. Returns false when the peer is gone.
    func flush() -> Bool {
        guard fileDescriptor >= 0 else { return false }
        while sent < outgoing.count {
            // Bytes before an attachment go alone: it belongs to the frame that it comes with.
            let attached = attachments.first?.position == sent ? attachments.first : nil
            let next = (attached == nil ? attachments.first : attachments.dropFirst().first)?.position
            let count = outgoing.withUnsafeBytes { bytes in
                offstage_send_descriptor(
                    fileDescriptor,
                    bytes.baseAddress.map { $0 + sent },
                    (next ?? bytes.count) - sent,
                    attached?.descriptor ?? -1
                )
            }
            if count > 0 {
                sent += count
                if let attached {
                    close(attached.descriptor)
                    attachments.removeFirst()
                }
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                return false
            }
        }
        if sent == outgoing.count {
            outgoing.removeAll(keepingCapacity: outgoing.capacity <= 65_536)
            sent = 0
        } else if sent > 1 << 20, attachments.isEmpty {
            outgoing.removeFirst(sent)  // checked: never more is sent than there is
            sent = 0
        }
        return true
    }

    /// Closes the socket, and what could not be sent any more.
    func closeAll() {
        guard fileDescriptor >= 0 else { return }
        close(fileDescriptor)
        fileDescriptor = -1
        for attachment in attachments { close(attachment.descriptor) }
        attachments = []
    }

    var hasUnsent: Bool { sent < outgoing.count }
}
