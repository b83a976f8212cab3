// SPDX-License-Identifier: Apache-2.0
import OffstagePage
import Testing

@Suite struct PageProgramTests {
    @Test func `options`() throws {
        #expect(try PageProgram.order([]) == .serve(port: 0, idle: 600, startsDaemon: true))
        #expect(
            try PageProgram.order(["--port", "8765", "--idle", "2m", "--no-start"])
                == .serve(port: 8765, idle: 120, startsDaemon: false)
        )
        #expect(
            try PageProgram.order(["--metrics-token", "/run/token"])
                == .serve(port: 0, idle: 600, startsDaemon: true, metricsToken: "/run/token")
        )
        #expect(try PageProgram.order(["--port", "1", "--help"]) == .help)
        for errand in PageErrand.allCases {
            for startsDaemon in [true, false] {
                let words = errand.words(startsDaemon: startsDaemon)
                #expect(try PageProgram.order(words) == .errand(errand, startsDaemon: startsDaemon))
            }
        }
    }

    @Test(arguments: [
        ["--port"], ["--port", "70000"], ["--port", "-1"], ["--idle"], ["--idle", "0"], ["--idle", "x"], ["x"],
        ["--nope"], ["--metrics-token"], ["--metrics-token", "relative"], ["--errand"], ["--errand", "x"],
    ])
    func `options that make no sense`(words: [String]) {
        #expect(throws: PageError.self) { try PageProgram.order(words) }
    }

    @Test func `the help fits a terminal`() {
        #expect(PageProgram.help.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
}
