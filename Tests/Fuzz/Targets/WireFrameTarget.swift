// SPDX-License-Identifier: Apache-2.0
import OffstageProtocol

/// A connection's bytes, cut into pieces as they may arrive. The cuts must make no difference.
enum WireFrameTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let step = 1 + input.choice(64)
        let stream = input.rest()
        let (whole, wholeEnds) = frames(in: [stream])
        let pieces = stride(from: 0, to: stream.count, by: step)
            .map { UnsafeRawBufferPointer(rebasing: stream[$0..<min($0 + step, stream.count)]) }
        let (cut, cutEnds) = frames(in: pieces)
        promise(whole == cut && wholeEnds == cutEnds, "pieces of \(step) bytes make other frames")
        // Nothing in the frames is invented: they are the bytes.
        let written = whole.flatMap { $0.encoded() }
        promise(stream.starts(with: written), "frames are not the bytes that came")
    }

    private static func frames(in pieces: [UnsafeRawBufferPointer]) -> ([WireFrame], Bool) {
        var decoder = FrameDecoder()
        var frames: [WireFrame] = []
        do {
            for piece in pieces {
                decoder.append(piece)
                while let frame = try decoder.next() { frames.append(frame) }
            }
            return (frames, false)
        } catch {
            return (frames, true)
        }
    }
}
