// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are reproducible from a seed (SplitMix64), so that a run of the emulator can be repeated.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A random number from 0 up to, but not including, 1.
    package mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// A random name of so many letters and digits.
    mutating func name(_ count: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        return String(decoding: (0..<count).map { _ in letters[Int(next() % UInt64(letters.count))] }, as: UTF8.self)
    }
}
