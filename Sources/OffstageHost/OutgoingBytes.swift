// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageProtocol

/// Bytes that a peer has not read yet, with the descriptors to send along.
package struct OutgoingBytes {
    private var bytes: [UInt8] = []
    private var sent = 0
    /// The descriptors, each with its position in `bytes`, in order.
    private var attachments: [(position: Int, descriptor: Int32)] = []

    /// The capacity kept for the next frames, and the number of sent bytes after which memory is freed during sending.
    private static let kept = 65_536
    private static let mostSent = 1 << 20

    package init() {}

    /// The number of bytes that the peer has not read.
    package var unread: Int { bytes.count - sent }  // checked: never more is sent than there is
    package var isEmpty: Bool { sent == bytes.count }
    /// The memory in use, in bytes.
    package var capacity: Int { bytes.capacity }

    /// Adds a frame. The descriptor, unless it is -1, is sent with the first byte, and is closed afterwards.
    package mutating func append(_ frame: WireFrame, descriptor: Int32) {
        if descriptor >= 0 { attachments.append((bytes.count, descriptor)) }
        bytes += frame.encoded()
    }

    /// Sends as much as the socket takes. Returns false if the peer is gone.
    package mutating func flush(to socket: Int32) -> Bool {
        while sent < bytes.count {
            // Bytes before a descriptor are sent separately, because the descriptor belongs to its own frame.
            let attached = attachments.first?.position == sent ? attachments.first : nil
            let next = (attached == nil ? attachments.first : attachments.dropFirst().first)?.position
            // checked: positions in the buffer, never before what is sent
            let count = bytes.withUnsafeBytes { bytes in
                offstage_send_descriptor(
                    socket,
                    bytes.baseAddress.map { $0 + sent },
                    (next ?? bytes.count) - sent,
                    attached?.descriptor ?? -1
                )
            }
            if count > 0 {
                sent += count  // checked: never more is sent than there is
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
        if isEmpty {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.kept)
            sent = 0
        } else if sent > Self.mostSent, attachments.isEmpty {
            bytes.removeFirst(sent)  // checked: never more is sent than there is
            sent = 0
        }
        return true
    }

    /// Closes the descriptors that were not sent.
    package mutating func closeDescriptors() {
        for attachment in attachments { close(attachment.descriptor) }
        attachments = []
    }
}
