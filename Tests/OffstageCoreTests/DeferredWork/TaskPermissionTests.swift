// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct TaskPermissionTests {
    private static let app = "org.example.mail"

    private func permission(
        _ identifiers: [String] = ["a", "org.example.mail.export.*"],
        modes: [String] = ["fetch", "processing"],
        policy: TaskPolicy = TaskPolicy()
    ) -> TaskPermission {
        TaskPermission(app: Self.app, permittedIdentifiers: identifiers, backgroundModes: modes, policy: policy)
    }

    private func question(_ kind: TaskRequest.Kind, _ identifier: String = "a") -> TaskPermission.Question {
        TaskPermission.Question(identifier: identifier, kind: kind)
    }

    @Test(arguments: TaskRequest.Kind.allCases)
    func `what Info.plist names is taken`(kind: TaskRequest.Kind) {
        #expect(permission().refusal(of: question(kind), pending: 0, isFront: true) == nil)
    }

    @Test(arguments: TaskRequest.Kind.allCases)
    func `an identifier that Info.plist does not name is not permitted`(kind: TaskRequest.Kind) {
        let refusal = permission(["b"]).refusal(of: question(kind), pending: 0, isFront: true)
        #expect(refusal?.code == 3)
        #expect(refusal?.sentence.contains("add it") == true)
        #expect(
            refusal?.sentence.contains("BGTaskSchedulerPermittedIdentifiers in the Info.plist of \(Self.app)") == true
        )
    }

    @Test func `each kind needs its background mode`() {
        for (kind, mode) in [
            (TaskRequest.Kind.refresh, "fetch"), (.processing, "processing"), (.healthResearch, "processing"),
        ] {
            let other = mode == "fetch" ? "processing" : "fetch"
            let refusal = permission(modes: [other]).refusal(of: question(kind), pending: 0, isFront: false)
            #expect(refusal?.code == 3)
            #expect(refusal?.sentence.contains("'\(mode)'; add it to UIBackgroundModes") == true)
        }
        #expect(permission(modes: []).refusal(of: question(.continued), pending: 0, isFront: true) == nil)
    }

    @Test func `a wildcard permits continued processing alone, and what goes on behind it`() {
        let concrete = "org.example.mail.export.17"
        #expect(permission().refusal(of: question(.continued, concrete), pending: 0, isFront: true) == nil)
        #expect(permission().refusal(of: question(.refresh, concrete), pending: 0, isFront: true)?.code == 3)
        let bare = "org.example.mail.export."
        #expect(permission().refusal(of: question(.continued, bare), pending: 0, isFront: true)?.code == 3)
        let permitted = ["a", "org.example.mail.export.*"]
        #expect(TaskPermission.isRegistrable(concrete, permitted: permitted))
        #expect(TaskPermission.isRegistrable("a", permitted: permitted))
        #expect(TaskPermission.isRegistrable("org.example.mail.export.*", permitted: permitted))
        #expect(!TaskPermission.isRegistrable("org.example.mail.import.1", permitted: permitted))
        #expect(!TaskPermission.isRegistrable("b", permitted: ["*"]))
    }

    @Test func `refresh that is off makes refresh unavailable, and no other kind`() {
        var policy = TaskPolicy()
        policy.refreshExceptions = [Self.app]
        let refusal = permission(policy: policy).refusal(of: question(.refresh), pending: 0, isFront: true)
        #expect(refusal?.code == 1)
        #expect(permission(policy: policy).refusal(of: question(.processing), pending: 0, isFront: true) == nil)
    }

    @Test func `the strict profile takes one refresh request and ten processing requests`() {
        for (kind, limit) in [(TaskRequest.Kind.refresh, 1), (.processing, 10), (.healthResearch, 10)] {
            let rule = permission(policy: .strict)
            #expect(rule.refusal(of: question(kind), pending: limit - 1, isFront: false) == nil)
            let refusal = rule.refusal(of: question(kind), pending: limit, isFront: false)
            #expect(refusal?.code == 2)
            #expect(refusal?.sentence.contains("the limit is \(limit)") == true)
        }
        #expect(TaskRequest.Kind.healthResearch.sharingLimit == [.processing, .healthResearch])
        #expect(TaskRequest.Kind.refresh.sharingLimit == [.refresh])
    }

    @Test func `continued processing is submitted in the foreground, and fails at once if it is to`() {
        var continued = question(.continued)
        #expect(permission().refusal(of: continued, pending: 0, isFront: false)?.code == 4)
        #expect(permission().refusal(of: continued, pending: 0, isFront: true, canRunNow: false) == nil)
        continued.failsUnlessImmediate = true
        #expect(permission().refusal(of: continued, pending: 0, isFront: true, canRunNow: false)?.code == 4)
        #expect(permission().refusal(of: continued, pending: 0, isFront: true, canRunNow: true) == nil)
        continued.requiresGPU = true
        #expect(permission().refusal(of: continued, pending: 0, isFront: true)?.code == 3)
    }

    @Test func `a sentence shows no control characters`() {
        let refusal = permission().refusal(of: question(.refresh, "a\u{1B}[2J"), pending: 0, isFront: true)
        #expect(refusal?.sentence.contains("\u{1B}") == false)
    }
}
