// SPDX-License-Identifier: Apache-2.0
import COffstageUIKit

/// The name that a background task has when its app gives none.
enum CallerName {
    /// The longest symbol that is told, in bytes.
    private static let longest = 256

    /// `Called by <image>, from <symbol>`: the function that has called the one that calls this.
    @inline(never)
    static func find() -> String {
        var image = [CChar](repeating: 0, count: 128)
        var symbol = [CChar](repeating: 0, count: longest)
        offstage_caller(2, &image, image.count, &symbol, symbol.count)
        return "Called by \(text(image)), from \(text(symbol))"
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
