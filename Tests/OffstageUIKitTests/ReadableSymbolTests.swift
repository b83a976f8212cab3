// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit
import Testing

/// The names of callers, as short as a person would say them.
@Suite struct ReadableSymbolTests {
    @Test(arguments: [
        ("App.Sync.run(_: Swift.Int, named: Swift.String) -> ()", "Sync.run(_:named:)"),
        ("App.Sync.run() async throws -> Swift.Int", "Sync.run()"),
        ("closure #1 @Sendable () -> () in App.Sync.run(_: Swift.Int) -> ()", "closure in Sync.run(_:)"),
        ("closure #2 () -> () in closure #1 () -> () in App.main() -> ()", "closure in main()"),
        ("static App.Orders.(begin in _9F2A77)() -> ()", "Orders.begin()"),
        ("App.Sync.init(name: Swift.String, then: (Swift.Int, Swift.Bool) -> ()) -> App.Sync", "Sync.init(name:then:)"),
        ("App.Sync.value.getter : Swift.Int", "Sync.value.getter"),
        (
            "(extension in App):UIKit.UIApplication.tidy<A where A: Swift.Hashable>(A, in: [A : A]) -> ()",
            "UIApplication.tidy(_:in:)"
        ),
        ("specialized App.Sync.run(_: Swift.Array<Swift.Int>) -> ()", "Sync.run(_:)"),
        ("main", "main"), ("0x4f2", "0x4f2"), ("", ""), ("a(", "a()"), ("(((", "(_:)"), (".", "."), ("x<", "x"),
    ])
    func `a symbol is told in short`(_ symbol: String, _ short: String) {
        #expect(ReadableSymbol.short(symbol) == short)
    }
}
