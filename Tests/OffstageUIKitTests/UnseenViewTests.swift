// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit
import Testing

@Suite struct `Views that are not shown` {
    @MainActor @Test func `a button's title for a state is its own, or the normal one`() {
        let button = UIButton()
        button.setTitle("Send", for: .normal)
        button.setTitle("Sending", for: .disabled)
        #expect(button.title(for: .normal) == "Send")
        #expect(button.title(for: .disabled) == "Sending")
        #expect(button.title(for: .highlighted) == "Send")
    }
}
