// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct AppLifeMemoryTests {
    /// A registration with what an app usually has: a path, arguments, and the variables recorded for its relaunch.
    private func registration(_ number: Int) -> AppRegistration {
        let environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin:/home/person\(number)/.local/bin", "HOME": "/home/person\(number)",
            "USER": "person\(number)", "LANG": "en_GB.UTF-8", "SHELL": "/usr/bin/bash", "DISPLAY": ":0",
            "XDG_RUNTIME_DIR": "/run/user/1000", "XDG_CURRENT_DESKTOP": "GNOME",
        ]
        return AppRegistration(
            id: "org.example.organisation.app-\(number)",
            executable: "/home/person\(number)/Applications/Name.app/name",
            information: .init(name: "Name of app \(number)", backgroundModes: ["fetch"]),
            launch: .init(
                arguments: ["--library", "/home/person\(number)/Pictures"],
                workingDirectory: "/home/person\(number)",
                environment: environment
            )
        )
    }

    private func suspended(_ number: Int) -> AppLife {
        let process = ProcessIdentity(number: Int32(number + 100), startedAt: UInt64(number))
        var life = AppLife(registration(number), policy: .init(suspendGrace: 0))
        let events: [AppEvent] = [
            .attached(process, StageView()), .committed, .report(.launched), .report(.state(.active)),
            .report(.beganTask(BackgroundTask(id: 1, name: "upload", beganAt: 5000))), .background, .committed,
            .report(.state(.background)), .report(.endedTask(1)), .timeIsUp, .report(.readyToSuspend(1)),
            .observed(isStopped: true),
        ]
        for event in events { _ = life.handle(event, now: Fixture.moment(0), token: "") }
        return life
    }

    @Test func `an environment is kept as it was`() {
        let environment = ["PATH": "/usr/bin", "LC_ALL": "", "XDG_DATA_DIRS": "a=b:c", "HOME": "/home/person"]
        var launch = AppRegistration.Launch(arguments: [], workingDirectory: "/", environment: environment)
        #expect(launch.environment == environment)
        launch.environment = [:]
        #expect(launch.environment.isEmpty)
    }

    private func residentBytes() throws -> Int {
        let fields = try TestFiles.text("/proc/self/statm").split(separator: " ")
        return try #require(fields.count > 1 ? Int(fields[1]) : nil) * Int(getpagesize())
    }

    @Test func `a suspended app costs no more than two KiB`() throws {
        let (count, batches) = (1500, 20)
        var lives: [AppLife] = []
        lives.reserveCapacity(batches * count)
        // Meanwhile, other tests in the process allocate and free memory; neither affects the middle of many short
        // samples. All lives are kept, so that none reuses another's memory.
        var costs: [Int] = []
        for batch in 0..<batches {
            let before = try residentBytes()
            for number in 0..<count { lives.append(suspended(batch * count + number)) }
            costs.append((try residentBytes() - before) / count)
        }
        let sorted = costs.sorted()
        let (each, upper) = (sorted[batches / 4], sorted[batches * 3 / 4])
        #expect(lives.allSatisfy { $0.state == .suspended && $0.nextLook == nil })
        #expect(each <= 2048, "\(costs) bytes each, of them \(MemoryLayout<AppLife>.stride) the value itself")
        #expect(upper > MemoryLayout<AppLife>.stride, "\(costs)")
    }
}
