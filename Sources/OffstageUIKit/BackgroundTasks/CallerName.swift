// SPDX-License-Identifier: Apache-2.0
import COffstageUIKit
import OffstageCore
import Synchronization

/// Creates names for background tasks that the app has not named. From any thread.
///
/// Finding a name takes a third of a millisecond, so it is determined when the task is reported, not when the task
/// begins, and only once for each place in the program.
enum CallerName {
    /// The length of the longest symbol to read, in bytes.
    private static let longest = 1024
    /// The number of places to remember: more than the places in a program that begin tasks.
    private static let mostPlaces = 1000

    private static let known = Mutex<[UInt: String]>([:])

    /// `Called by <image>, from <function>`: the function that contains a return address, which is 0 if unknown.
    static func at(_ address: UInt) -> String {
        if let name = known.withLock({ $0[address] }) { return name }
        var image = [CChar](repeating: 0, count: 128)
        var symbol = [CChar](repeating: 0, count: longest)
        offstage_describe_caller(address, &image, image.count, &symbol, symbol.count)
        let name = "Called by \(text(image)), from \(ReadableSymbol.short(text(symbol)))"
        known.withLock { if $0.count < mostPlaces { $0[address] = name } }
        return name
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
