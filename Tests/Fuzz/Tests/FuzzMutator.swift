// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport

/// Mutates a corpus's inputs, like a fuzzer that knows nothing of the code they reach.
struct FuzzMutator {
    private let inputs: [[UInt8]]
    private var random: SeededGenerator

    init(_ inputs: [[UInt8]], seed: UInt64) {
        self.inputs = inputs
        random = SeededGenerator(seed: seed)
    }

    /// Digits and bytes at which parsers branch.
    private static let telling = Array("0919-+.:/,;=&?%\"'\\{}[]()<> \t\r\n".utf8) + [0, 1, 127, 128, 254, 255]

    mutating func next() -> [UInt8] {
        var input = one()
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&input) }
        return input
    }

    private mutating func one() -> [UInt8] { inputs[Int.random(in: 0..<inputs.count, using: &random)] }

    private mutating func change(_ input: inout [UInt8]) {
        let place = Int.random(in: 0...input.count, using: &random)
        let end = min(input.count, place + Int.random(in: 1...8, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where place < input.count: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where place < input.count: input[place] = telling()
        case 2: input.insert(telling(), at: place)
        case 3: input.removeSubrange(place..<end)
        case 4: input.insert(contentsOf: Array(input[place..<end]), at: place)
        case 5: input.removeSubrange(place...)
        case 6:
            let other = one()
            input.replaceSubrange(place..., with: other.suffix(Int.random(in: 0...other.count, using: &random)))
        default: input.insert(contentsOf: Array("9223372036854775807".utf8), at: place)
        }
    }

    private mutating func telling() -> UInt8 { Self.telling[Int.random(in: 0..<Self.telling.count, using: &random)] }
}
