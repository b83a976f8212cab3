// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The sessions' reports on transfers, most of which do not belong to any session.
struct SessionReportsTests {
    private static let session = SessionName(app: "app", identifier: "s")
    private let heard = Monitor<[String]>([])

    private func reports(initially tasks: [SessionName: Int] = [:]) throws -> SessionReports {
        SessionReports(try TurnsStage().registry, initialTasks: tasks)
    }

    private func listen(to reports: SessionReports) {
        let heard = heard
        reports.start { notice in
            let text =
                switch notice {
                case .taken(let tasks): "taken \(tasks[Self.session] ?? 0) of \(tasks.count)"
                case .progress(let list): "progress \(list.count)"
                case .ended(let transfer): "ended \(transfer.id)"
                case .question(let transfer, _): "question \(transfer.id)"
                case .acknowledged(let sessions): "acknowledged \(sessions.count)"
                }
            heard.withLock { $0.append(text) }
        }
    }

    private static func transfer(_ number: Int64, isTask: Bool) throws -> Transfer {
        try TurnsStage.transfer(number) { spec in
            guard isTask else { return }
            spec.owner = session.app
            spec.sessionTask = SessionTaskKey(session: session.identifier, task: Int(number))
        }
    }

    @Test(arguments: [(tasks: 0, heard: []), (tasks: 3, heard: ["taken 3 of 1"])])
    func `what the daemon before left is told first, and once`(tasks: Int, heard: [String]) throws {
        let reports = try reports(initially: tasks == 0 ? [:] : [Self.session: tasks])
        listen(to: reports)
        #expect(self.heard.withLock { $0 } == heard)
        listen(to: reports)
        #expect(self.heard.withLock { $0 } == heard)
    }

    @Test func `tasks are told, and other transfers are not`() throws {
        let reports = try reports()
        let (task, other) = (try Self.transfer(1, isTask: true), try Self.transfer(2, isTask: false))
        // Before there is a listener, there is no one to notify.
        reports.reportAccepted([task])
        listen(to: reports)
        reports.reportAccepted([other])
        reports.reportAccepted([task, other, task])
        reports.ended(other)
        reports.ended(task)
        reports.acknowledged([other])
        reports.acknowledged([task, task])
        #expect(heard.withLock { $0 } == ["taken 2 of 1", "ended 1", "acknowledged 1"])
    }
}
