// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// An app that is being quit, and what is still expected of it afterwards.
@Suite struct AppLifeQuitTests {
    @Test func `the next daemon cancels what this one could not`() {
        var stage = AppLifeStage.suspended()
        stage.play(.quit(keepsTransfers: false))
        #expect(stage.life.registration.owesCancellation)
        stage.life = AppLife(stage.life.registration, policy: stage.life.policy)
        #expect(stage.handle(.restored(isStopped: nil)) == [.cancelTransfers, .persist])
        // A launch by the person undoes none of this.
        stage.play(.launch(.person))
        #expect(stage.life.registration.owesCancellation)
        #expect(stage.handle(.transfersCancelled) == [.persist])
        #expect(!stage.life.registration.owesCancellation)
        #expect(stage.handle(.transfersCancelled) == [])
    }

    @Test func `what a process that was launched after that hands over is cancelled by no daemon`() {
        var stage = AppLifeStage.suspended()
        stage.play(.quit(keepsTransfers: false), .launch(.person), .ended(.signalled(9)))
        #expect(stage.life.registration.owesCancellation)
        stage.play(.spawned(AppLifeStage.second), .attached(AppLifeStage.second, StageView()))
        #expect(!stage.life.registration.owesCancellation)
        #expect(stage.handle(.transfersCancelled) == [])
    }

    @Test func `transfers that are kept are cancelled by no daemon`() {
        var stage = AppLifeStage.suspended()
        stage.play(.quit(keepsTransfers: true))
        #expect(!stage.life.registration.owesCancellation)
    }

    @Test func `an app that is wanted in background while it ends is launched there`() {
        var stage = AppLifeStage.active()
        stage.play(.quit(keepsTransfers: true), .launch(.personInBackground), .ended(.exited(0)))
        #expect(stage.life.launchCause == .personInBackground)
        #expect(!stage.life.registration.isQuit)
    }

    @Test func `who wants it in front decides`() {
        var stage = AppLifeStage.active()
        stage.play(.terminate, .foreground, .launch(.personInBackground), .ended(.exited(0)))
        #expect(stage.life.launchCause == .person)
    }

    @Test func `a registration of before is read`() throws {
        let stage = AppLifeStage.suspended()
        let data = try JSONEncoder().encode(stage.life.registration)
        #expect(try JSONDecoder().decode(AppRegistration.self, from: data) == stage.life.registration)
        let text = String(decoding: data, as: UTF8.self)
            .replacing("\"hasAttached\":true,", with: "").replacing(",\"hasAttached\":true", with: "")
            .replacing("\"owesCancellation\":false,", with: "").replacing(",\"owesCancellation\":false", with: "")
        #expect(!text.contains("hasAttached") && !text.contains("owesCancellation"))
        #expect(try JSONDecoder().decode(AppRegistration.self, from: Data(text.utf8)) == stage.life.registration)
    }
}
