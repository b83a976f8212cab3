// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Who decides whether an app is in front: a person's commands, its terminal, its own loop; the last one wins.
@Suite struct AppLifeViewTests {
    private static func restored(_ view: StageView, isInForeground: Bool) -> AppLifeStage {
        var stage = AppLifeStage {
            $0.process = .init(identity: AppLifeStage.first, bootID: Fixture.moment(0).bootID, isChild: false)
            $0.isInForeground = isInForeground
        }
        stage.play(.restored(isStopped: false), .attached(AppLifeStage.first, view))
        return stage
    }

    @Test(arguments: [true, false])
    func `a new daemon leaves an app where a command has put it, whatever its terminal shows`(isInForeground: Bool) {
        let state: LifeState = isInForeground ? .active : .background
        let view = StageView(
            state: state,
            tasks: [AppLifeStage.upload],
            isInTerminal: true,
            isInFront: !isInForeground
        )
        let stage = Self.restored(view, isInForeground: isInForeground)
        #expect(stage.life.state == state)
        #expect(stage.life.registration.isInForeground == isInForeground)
    }

    @Test func `what the terminal has done while no daemon heard of it counts with the next`() {
        var view = StageView(state: .active, isInTerminal: true, isInFront: false, isToBeInFront: false)
        let left = Self.restored(view, isInForeground: true)
        #expect(left.life.state == .background && !left.life.registration.isInForeground)
        view = StageView(state: .background, isInTerminal: true, isInFront: true, isToBeInFront: true)
        let back = Self.restored(view, isInForeground: false)
        #expect(back.life.state == .inactive && back.life.registration.isInForeground)
    }

    @Test func `an app that its own loop hides again goes behind, and one in front behind its terminal stays`() {
        var hidden = AppLifeStage.active()
        hidden.play(.report(.visible(false)), .foreground, .report(.state(.active)), .report(.visible(false)))
        #expect(hidden.life.state == .background)
        var behind = AppLifeStage.active()
        behind.play(.report(.terminal(isInFront: false)), .foreground, .report(.state(.active)))
        behind.play(.report(.terminal(isInFront: false)))
        #expect(behind.life.state == .active)
    }

    @Test func `an app that says where its terminal is counts as one in a terminal`() {
        for report in [StageReport.leftTerminal, .terminal(isInFront: false)] {
            var stage = AppLifeStage.active()
            #expect(!stage.life.isInTerminal)
            stage.play(.report(report))
            #expect(stage.life.isBehindTerminal)
        }
    }
}
