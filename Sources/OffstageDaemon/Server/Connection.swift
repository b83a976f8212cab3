// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageProtocol

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
    var observations: [UInt64] = []
    /// Close once everything is sent.
    var closesWhenSent = false
    /// Requests being worked on.
    var requestsUnderWay = 0

    private var decoder = FrameDecoder()
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// Descriptors that go with the byte at a position of `outgoing`, in order.
    private var attachments: [(position: Int, descriptor: Int32)] = []

    /// A peer that leaves more than this unread is dropped, bytes.
    static let outgoingLimit = 16 << 20
    /// Requests of one connection that are worked on at a time; more are not read until some are answered.
    static let requestLimit = 64

    init(id: UInt64, fileDescriptor: Int32, peerProcess: Int32) {
        self.id = id
        self.fileDescriptor = fileDescriptor
        self.peerProcess = peerProcess
    }

    enum ReadResult {
        case frames([WireFrame])
        case closed
        /// The peer does not speak the protocol.
        case violation(FrameDecoder.Violation)
    }

    /// Reads what is there, up to 256 KiB in one go so that one peer cannot keep the loop to itself.
    func readAvailable() -> ReadResult {
        var isAtEnd = false
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            for _ in 0..<4 {
                let count = recv(fileDescriptor, buffer.baseAddress, buffer.count, 0)
                if count > 0 {
                    decoder.append(UnsafeBufferPointer(rebasing: buffer[..<count]))
                    if count < buffer.count { break }
                } else {
                    isAtEnd = count == 0 || (errno != EAGAIN && errno != EINTR)
                    break
                }
            }
        }
        var frames: [WireFrame] = []
        do {
            while let frame = try decoder.next() { frames.append(frame) }
        } catch {
            return .violation(error)
        }
        return isAtEnd && frames.isEmpty ? .closed : .frames(frames)
    }

    /// Queues bytes and sends as many as the socket takes. Returns false when the peer is to be dropped.
    ///
    /// The descriptor, unless it is -1, goes with the frame's first byte, and is closed here when it has been sent.
    func send(_ frame: WireFrame, descriptor: Int32 = -1) -> Bool {
        guard fileDescriptor >= 0 else {
            if descriptor >= 0 { close(descriptor) }
            return false
        }
        if descriptor >= 0 { attachments.append((outgoing.count, descriptor)) }
        outgoing += frame.encoded()
        return flush() && outgoing.count - sent <= Self.outgoingLimit
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
