// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Synchronization
import Testing

@Suite struct NotificationBookTests {
    /// A book, its time, and which app is in front.
    private struct Bench {
        var book = NotificationBook()
        var now = Moment(wall: Date(timeIntervalSince1970: 1_795_422_600), bootID: "b", uptime: 100)
        var front: Set<String> = []
        let numbers = Numbers()

        final class Numbers: Sendable {
            private let next = Mutex<UInt64>(0)
            func make() -> UInt64 {
                next.withLock { number in
                    number += 1
                    return number
                }
            }
        }

        private var around: NotificationBook.Surroundings {
            let (front, numbers) = (front, numbers)
            return NotificationBook.Surroundings(
                now: now,
                zone: CivilZone(time: { _ in nil }, instant: { _ in nil }),
                isInFront: { front.contains($0) },
                makeNumber: { numbers.make() }
            )
        }

        mutating func handle(_ event: NotificationEvent) -> [NotificationAction] { book.handle(event, around) }

        mutating func pass(_ seconds: Double) -> [NotificationAction] {
            now.wall.addTimeInterval(seconds)
            now.uptime += seconds
            return handle(.timeIsUp)
        }

        mutating func add(_ identifier: String, _ trigger: NotificationTrigger, category: String = "")
            -> [NotificationAction]
        {
            var content = NotificationContent()
            content.title = identifier.uppercased()
            content.category = category
            return handle(.add(app: "a", LocalNotification(identifier: identifier, content: content, trigger: trigger)))
        }

        var pending: [String] { book.pending(of: "a", now: now).map(\.request.identifier) }
        var delivered: [String] { book.delivered(of: "a").map(\.request.identifier) }
    }

    private static func shown(_ actions: [NotificationAction]) -> [String] {
        actions.compactMap { action in
            guard case .show(let record, _) = action else { return nil }
            return record.request.identifier
        }
    }

    private static func started(_ actions: [NotificationAction]) -> NotificationErrand? {
        actions.lazy.compactMap { action -> NotificationErrand? in
            guard case .start(let errand) = action else { return nil }
            return errand
        }.first
    }

    @Test func `one is shown when its interval is over, and not before`() {
        var bench = Bench()
        #expect(Self.shown(bench.add("one", .interval(seconds: 60, repeats: false))).isEmpty)
        #expect(bench.book.nextLook(now: bench.now).uptime == 160)
        #expect(Self.shown(bench.pass(59)).isEmpty)
        #expect(Self.shown(bench.pass(1)) == ["one"])
        #expect(bench.pending.isEmpty)
        #expect(bench.delivered == ["one"])
        #expect(bench.book.nextLook(now: bench.now) == (nil, nil))
        #expect(bench.pass(1000).isEmpty)
    }

    @Test func `without a trigger one is shown at once`() {
        var bench = Bench()
        #expect(Self.shown(bench.add("now", .immediately)) == ["now"])
    }

    @Test func `one that repeats comes again, and once for all that were missed`() {
        var bench = Bench()
        _ = bench.add("again", .interval(seconds: 60, repeats: true))
        #expect(Self.shown(bench.pass(60)) == ["again"])
        #expect(Self.shown(bench.pass(60)) == ["again"])
        #expect(Self.shown(bench.pass(600)) == ["again"])
        #expect(bench.pending == ["again"])
        #expect(bench.delivered == ["again"])
    }

    @Test func `dates come one after the other`() {
        var bench = Bench()
        let wall = bench.now.wall
        _ = bench.add("dates", .dates([wall.addingTimeInterval(10), wall.addingTimeInterval(20)]))
        #expect(bench.book.nextLook(now: bench.now).wall == wall.timeIntervalSince1970 + 10)
        #expect(Self.shown(bench.pass(10)) == ["dates"])
        #expect(bench.pending == ["dates"])
        #expect(Self.shown(bench.pass(10)) == ["dates"])
        #expect(bench.pending.isEmpty)
    }

    @Test func `a date that has passed is never shown, and waits for nothing`() {
        var bench = Bench()
        let actions = bench.add("late", .dates([bench.now.wall.addingTimeInterval(-1)]))
        #expect(Self.shown(actions).isEmpty)
        #expect(bench.pending.isEmpty)
    }

    @Test func `a request takes the place of one with its identifier, in the store as well`() {
        var bench = Bench()
        _ = bench.add("one", .interval(seconds: 60, repeats: false))
        let actions = bench.add("one", .interval(seconds: 90, repeats: false))
        #expect(actions.contains(.store(.delete(app: "a", identifier: "one", .pending))))
        #expect(Self.shown(bench.pass(60)).isEmpty)
        #expect(Self.shown(bench.pass(30)) == ["one"])
    }

    @Test func `of more than 64 the soonest stay`() {
        var bench = Bench()
        for number in 1...64 { _ = bench.add("n\(number)", .interval(seconds: Double(number), repeats: false)) }
        let actions = bench.add("soon", .interval(seconds: 0.5, repeats: false))
        #expect(bench.pending.count == 64)
        #expect(bench.pending.first == "soon")
        #expect(actions.contains(.store(.delete(app: "a", identifier: "n64", .pending))))
    }

    @Test func `what was delivered is kept 64 deep, newest first, and the rest is taken from the desktop`() {
        var bench = Bench()
        for number in 1...64 { _ = bench.add("n\(number)", .immediately) }
        let actions = bench.add("last", .immediately)
        #expect(bench.delivered.count == 64)
        #expect(bench.delivered.first == "last")
        #expect(actions.contains(.withdraw(app: "a", identifier: "n1")))
    }

    @Test func `both kinds are removed, by identifier or all`() {
        var bench = Bench()
        for name in ["x", "y", "z"] {
            _ = bench.add(name, .immediately)
            _ = bench.add(name, .interval(seconds: 60, repeats: false))
        }
        _ = bench.handle(.remove(app: "a", .pending, identifiers: ["x", "unknown"]))
        #expect(bench.pending == ["y", "z"])
        let actions = bench.handle(.remove(app: "a", .delivered, identifiers: ["y"]))
        #expect(actions.contains(.withdraw(app: "a", identifier: "y")))
        #expect(bench.delivered == ["z", "x"])
        _ = bench.handle(.remove(app: "a", .pending, identifiers: nil))
        _ = bench.handle(.remove(app: "a", .delivered, identifiers: nil))
        #expect(bench.pending.isEmpty && bench.delivered.isEmpty)
        #expect(bench.pass(100).isEmpty)
    }

    // MARK: In front

    @Test func `an app in front is asked, and its answer counts`() throws {
        var bench = Bench()
        bench.front = ["a"]
        let actions = bench.add("one", .immediately)
        #expect(Self.shown(actions).isEmpty)
        let errand = try #require(Self.started(actions))
        #expect(errand.kind == .present)
        #expect(Self.shown(bench.handle(.presented(number: errand.number, options: 1 << 4))) == ["one"])
        #expect(bench.handle(.errandEnded(number: errand.number, .done)).isEmpty)
        #expect(bench.delivered == ["one"])
    }

    @Test(arguments: [NotificationEvent.presented(number: 1, options: 0), .presented(number: 1, options: 1 << 1)])
    func `one that is not to be seen is in no list and in no store`(answer: NotificationEvent) {
        var bench = Bench()
        bench.front = ["a"]
        let before = bench.add("one", .immediately)
        #expect(before.contains { if case .store(.put) = $0 { true } else { false } })
        let actions = bench.handle(answer)
        #expect(Self.shown(actions).isEmpty)
        #expect(actions.contains(.store(.delete(app: "a", identifier: "one", .delivered))))
        #expect(bench.delivered.isEmpty)
    }

    @Test(arguments: [
        (NotificationErrand.End.noDelegate, false), (.done, false), (.failed, true),
    ])
    func `an app in front that does not answer keeps it silent, and one that ends does not`(
        end: NotificationErrand.End,
        isShown: Bool
    ) {
        var bench = Bench()
        bench.front = ["a"]
        _ = bench.add("one", .immediately)
        #expect(Self.shown(bench.handle(.errandEnded(number: 1, end))).isEmpty != isShown)
        #expect(bench.delivered.isEmpty != isShown)
    }

    @Test func `an app in front that decides nothing is asked of 64, and the next one is shown`() throws {
        var bench = Bench()
        bench.front = ["a"]
        for number in 1...64 {
            let errand = try #require(Self.started(bench.add("n\(number)", .immediately)))
            // Even if the app decides at once, its process keeps the errand until its end.
            if number > 32 { _ = bench.handle(.presented(number: errand.number, options: 0)) }
        }
        let actions = bench.add("one more", .immediately)
        #expect(Self.started(actions) == nil)
        #expect(Self.shown(actions) == ["one more"])
        #expect(bench.handle(.errandEnded(number: 64, .done)).isEmpty)
        #expect(Self.started(bench.add("asked", .immediately)) != nil)
        #expect(Self.shown(bench.add("shown", .immediately)) == ["shown"])
    }

    // MARK: Answers

    private static let category = NotificationStanding.Category(
        identifier: "plants",
        actions: [
            NotificationStanding.Action(identifier: "open", title: "Open", options: 4),
            NotificationStanding.Action(identifier: "later", title: "Later", options: 0),
        ],
        intents: [],
        options: 0
    )

    private func answered(_ action: String, _ options: UInt = 0) -> (Bench, [NotificationAction]) {
        var bench = Bench()
        var category = Self.category
        category.options = options
        _ = bench.handle(.setCategories(app: "a", [category]))
        _ = bench.add("one", .immediately, category: "plants")
        let answer = NotificationAnswer(action: action)
        let actions = bench.handle(.answer(app: "a", identifier: "one", answer, number: 7))
        return (bench, actions)
    }

    @Test(arguments: [(NotificationAnswer.defaultAction, true), ("open", true), ("later", false)])
    func `the notification itself and actions that say so bring the app to the front`(action: String, opens: Bool)
        throws
    {
        let (bench, actions) = answered(action)
        #expect(actions.contains(.open(app: "a")) == opens)
        #expect(try #require(Self.started(actions)).kind == .answer)
        #expect(actions.contains(.withdraw(app: "a", identifier: "one")))
        #expect(bench.delivered.isEmpty)
    }

    @Test(arguments: [(UInt(0), false), (1, true)])
    func `of its removal an app hears if its category says so`(options: UInt, hears: Bool) {
        let (bench, actions) = answered(NotificationAnswer.dismissAction, options)
        #expect((Self.started(actions) != nil) == hears)
        #expect(!actions.contains(.open(app: "a")))
        #expect(bench.delivered.isEmpty)
    }

    @Test func `an answer is in the store until the app has heard of it`() throws {
        var (bench, actions) = answered("later")
        let errand = try #require(Self.started(actions))
        #expect(actions.contains(.store(.put(errand.record))))
        actions = bench.handle(.errandEnded(number: 7, .done))
        #expect(actions.contains(.store(.delete(app: "a", identifier: "one", .answered))))
        #expect(actions.contains(.answered(errand.record, .done)))
    }

    @Test func `an app that ends before it has heard is brought to run three times, later each time`() throws {
        var (bench, _) = answered("later")
        #expect(Self.started(bench.handle(.errandEnded(number: 7, .failed))) == nil)
        #expect(Self.started(bench.pass(9)) == nil)
        let second = try #require(Self.started(bench.pass(1)))
        #expect(second.number != 7)
        #expect(Self.started(bench.handle(.errandEnded(number: second.number, .failed))) == nil)
        #expect(bench.book.nextLook(now: bench.now).uptime == bench.now.uptime + 120)
        let third = try #require(Self.started(bench.pass(120)))
        let actions = bench.handle(.errandEnded(number: third.number, .failed))
        #expect(actions.contains(.store(.delete(app: "a", identifier: "one", .answered))))
        #expect(bench.book.nextLook(now: bench.now) == (nil, nil))
    }

    @Test func `an answer to what is not there is nothing`() {
        var bench = Bench()
        #expect(bench.handle(.answer(app: "a", identifier: "one", NotificationAnswer(action: "x"), number: 7)).isEmpty)
    }

    @Test func `an app hears of 64 answers at a time, and what is answered meanwhile stays`() {
        var bench = Bench()
        func answer(_ name: String, _ number: UInt64) -> [NotificationAction] {
            _ = bench.add(name, .immediately)
            let answer = NotificationAnswer(action: NotificationAnswer.defaultAction)
            return bench.handle(.answer(app: "a", identifier: name, answer, number: number))
        }
        for number: UInt64 in 1...64 { #expect(Self.started(answer("n\(number)", number)) != nil) }
        #expect(answer("late", 65).isEmpty)
        #expect(bench.delivered == ["late"])
        _ = bench.handle(.errandEnded(number: 1, .done))
        #expect(Self.started(answer("late", 66)) != nil)
        #expect(bench.delivered.isEmpty)
    }

    // MARK: Restarts

    @Test func `a daemon that begins anew keeps as many as may be, the newest and the soonest`() {
        var bench = Bench()
        let wall = bench.now.wall
        func record(_ number: Int, _ phase: NotificationRecord.Phase) -> NotificationRecord {
            let request = LocalNotification(identifier: "n\(number)", content: .init(), trigger: .immediately)
            return NotificationRecord(app: "a", request: request, phase: phase)
        }
        let records = (1...70).reversed().flatMap { number -> [NotificationRecord] in
            let seconds = Double(number)
            return [
                record(number, .delivered(wall.addingTimeInterval(-seconds))),
                record(number, .pending(.date(wall.addingTimeInterval(seconds)))),
            ]
        }
        bench.book.recall([NotificationStanding(app: "a")], records)
        let actions = bench.handle(.restored)
        let kept = (1...64).map { "n\($0)" }
        #expect(bench.delivered == kept)
        #expect(bench.pending == kept)
        for number in 65...70 {
            #expect(actions.contains(.store(.delete(app: "a", identifier: "n\(number)", .delivered))))
            #expect(actions.contains(.store(.delete(app: "a", identifier: "n\(number)", .pending))))
        }
    }

    @Test func `a daemon that begins anew delivers what is due, and has answers heard`() throws {
        var (bench, _) = answered("later")
        let kept = try #require(bench.book.errand(7)).record
        _ = bench.add("two", .interval(seconds: 60, repeats: false))
        let records = bench.book.pending(of: "a", now: bench.now) + bench.book.delivered(of: "a") + [kept]
        let standing = bench.book.standing(of: "a")
        bench.book = NotificationBook()
        bench.book.recall([standing], records)
        bench.now.wall.addTimeInterval(100)
        bench.now.bootID = "c"
        bench.now.uptime = 5
        let actions = bench.handle(.restored)
        #expect(Self.started(actions)?.number == 7)
        #expect(Self.shown(actions) == ["two"])
        #expect(bench.book.errandNumbers == [7])
        #expect(bench.book.standing(of: "a").categories.map(\.identifier) == ["plants"])
    }

    @Test func `an app that is removed has nothing left`() {
        var (bench, _) = answered("later")
        _ = bench.add("two", .interval(seconds: 60, repeats: false))
        _ = bench.add("three", .immediately)
        let actions = bench.handle(.appRemoved("a"))
        #expect(actions.contains(.withdraw(app: "a", identifier: "three")))
        #expect(actions.contains(.store(.deleteApp("a"))))
        #expect(bench.pending.isEmpty && bench.delivered.isEmpty)
        #expect(bench.pass(100).isEmpty)
        #expect(bench.handle(.errandEnded(number: 7, .failed)).isEmpty)
    }

    @Test func `what no library asks for is refused`() {
        func problem(_ trigger: NotificationTrigger, _ identifier: String = "i", _ title: String = "") -> String? {
            var content = NotificationContent()
            content.title = title
            return LocalNotification(identifier: identifier, content: content, trigger: trigger).problem
        }
        #expect(problem(.immediately) == nil)
        #expect(problem(.immediately, "") != nil)
        #expect(problem(.immediately, String(repeating: "x", count: 1025)) != nil)
        #expect(problem(.immediately, "i", String(repeating: "x", count: 16_385)) != nil)
        #expect(problem(.immediately, "i", String(repeating: "x", count: 16_384)) == nil)
        for seconds in [0, -1, .nan, .infinity, 1e300] {
            #expect(problem(.interval(seconds: seconds, repeats: false)) != nil)
        }
        #expect(problem(.interval(seconds: 59, repeats: true)) != nil)
        #expect(problem(.interval(seconds: 60, repeats: true)) == nil)
        #expect(problem(.calendar(CalendarPattern(hour: 25), repeats: false)) != nil)
        #expect(problem(.calendar(CalendarPattern(year: .max), repeats: false)) != nil)
        #expect(problem(.dates([])) != nil)
        #expect(problem(.dates([Date(timeIntervalSince1970: .infinity)])) != nil)
    }
}
