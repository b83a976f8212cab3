// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct RetryPolicyTests {
    private static let policy = RetryPolicy(baseDelay: 1, maximumDelay: 300, maximumFruitlessAttempts: 5)

    private static let connection: Set<TransferFailure.Code> = [
        .cannotFindHost, .cannotConnect, .connectionLost, .idleTimeout, .proxyFailed, .daemonInterrupted,
    ]

    private static func history(
        fruitless: Int = 1,
        retries: Int = 0,
        answered: Bool = true,
        maximum: Int? = nil,
        beforeAnswer: Int? = nil
    ) -> RetryPolicy.History {
        .init(
            fruitlessAttempts: fruitless,
            retries: retries,
            hasBeenAnswered: answered,
            maximumRetries: maximum,
            maximumAttemptsBeforeFirstAnswer: beforeAnswer
        )
    }

    @Test(arguments: TransferFailure.Code.allCases)
    func `whether a failure is tried again follows from its code and the history`(code: TransferFailure.Code) {
        let failure = TransferFailure(code, "it failed")
        for fruitless in 1...8 {
            for retries in 0...4 {
                for answered in [true, false] {
                    for maximum in [nil, 0, 3] {
                        for beforeAnswer in [nil, 1, 4] {
                            let isRetried =
                                Self.policy.delay(
                                    after: failure,
                                    history: Self.history(
                                        fruitless: fruitless,
                                        retries: retries,
                                        answered: answered,
                                        maximum: maximum,
                                        beforeAnswer: beforeAnswer
                                    ),
                                    jitter: 0.5
                                ) != nil
                            let mayPass: Bool
                            if Self.connection.contains(code) {
                                // A temporary problem of this machine says nothing about the URL.
                                mayPass =
                                    answered || code == .daemonInterrupted || fruitless < (beforeAnswer ?? .max)
                            } else if code == .serverMisbehaves {
                                mayPass = fruitless < 5
                            } else {
                                mayPass = code == .serverBusy || code == .keyCommandFailed
                            }
                            #expect(isRetried == (mayPass && retries < (maximum ?? .max)))
                        }
                    }
                }
            }
        }
    }

    @Test func `the wait doubles up to its maximum`() {
        let failure = TransferFailure(.connectionLost, "it broke")
        let waits = (1...12).map { Self.policy.delay(after: failure, history: Self.history(fruitless: $0), jitter: 1) }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        #expect(Self.policy.delay(after: failure, history: Self.history(fruitless: .max), jitter: 1) == 300)
        #expect(Self.policy.delay(after: failure, history: Self.history(fruitless: 0), jitter: 1) == 1)
    }

    @Test func `a download begins again at once the first time, and then after ever longer waits`() {
        let waits = (0...12).map { Self.policy.delay(ofRestart: $0, fixedDelay: nil, jitter: 1) }
        #expect(waits == [nil, nil, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        #expect(Self.policy.delay(ofRestart: .max, fixedDelay: nil, jitter: 0) == 150)
        #expect(Self.policy.delay(ofRestart: .min, fixedDelay: nil, jitter: 0) == nil)
        let named = [1, 2, 9].map { Self.policy.delay(ofRestart: $0, fixedDelay: 5, jitter: 0.3) }
        #expect(named == [nil, 5, 5])
    }

    @Test(arguments: [0, 0.25, 0.5, 0.999]) func `jitter takes away at most half`(jitter: Double) throws {
        let failure = TransferFailure(.connectionLost, "it broke")
        let wait = try #require(Self.policy.delay(after: failure, history: Self.history(fruitless: 4), jitter: jitter))
        #expect(wait == 8 * (0.5 + 0.5 * jitter))
        #expect((4...8).contains(wait))
    }

    @Test func `a server's wish is heeded beyond the maximum, and never shortens the wait`() {
        let long = TransferFailure(.serverBusy, "busy", retryAfter: 4000)
        #expect(Self.policy.delay(after: long, history: Self.history(), jitter: 0) == 4000)
        let short = TransferFailure(.serverBusy, "busy", retryAfter: 0)
        #expect(Self.policy.delay(after: short, history: Self.history(fruitless: 3), jitter: 1) == 4)
    }

    @Test func `a wait that somebody has named is that long each time, unless the server asks for more`() {
        for fruitless in 1...8 {
            var history = Self.history(fruitless: fruitless)
            history.fixedDelay = 5
            let lost = TransferFailure(.connectionLost, "it broke")
            #expect(Self.policy.delay(after: lost, history: history, jitter: 0.3) == 5)
            let busy = TransferFailure(.serverBusy, "busy", retryAfter: 60)
            #expect(Self.policy.delay(after: busy, history: history, jitter: 0.3) == 60)
            #expect(Self.policy.delay(after: .init(.httpStatus, "404"), history: history, jitter: 0.3) == nil)
        }
    }

    @Test func `a proxy is looked for where it may come from`() {
        let failure = TransferFailure(.proxyFailed, "it failed")
        #expect(failure.advice(isSessionTask: false).contains("--proxy"))
        #expect(failure.advice(isSessionTask: false).contains("all_proxy"))
        #expect(failure.finalAdvice(isSessionTask: false).contains("hand it over again"), "a retry keeps the proxy")
        #expect(failure.advice(isSessionTask: true).contains("environment"))
    }

    @Test func `only a server that asked to wait is said to have done so`() {
        let asked = TransferFailure(.serverBusy, "the server answered 503", retryAfter: 9, status: 503)
        #expect(asked.advice.contains("asked to wait"))
        let silent = TransferFailure(.serverBusy, "the server answered 500", status: 500)
        #expect(silent.advice == "Nothing needs doing while it is tried again.")
        #expect(silent.finalAdvice(isSessionTask: false) == "'offstage retry ID' tries it again.")
    }

    @Test func `a proxy that wants a password is no proxy in trouble`() {
        #expect(TransferFailure(.proxyFailed, "it answered 407", status: 407).retryClass == .permanent)
        #expect(TransferFailure(.proxyFailed, "it answered 502").retryClass == .connection)
    }

    @Test(arguments: [407, 413, 415, 416, 423, 451, 501])
    func `a status that says what is wrong has advice of its own`(status: Int) {
        let failure = TransferFailure(status >= 500 ? .serverBusy : .httpStatus, "the server answered", status: status)
        let plain = TransferFailure(failure.code, failure.detail)
        for isSessionTask in [true, false] {
            let advice = failure.advice(isSessionTask: isSessionTask)
            #expect(advice.hasSuffix(".") && advice != plain.advice(isSessionTask: isSessionTask))
            #expect(failure.finalAdvice(isSessionTask: isSessionTask) == advice)
            #expect(!isSessionTask || !advice.contains("retry") && !advice.contains("-H") && !advice.contains("-X"))
        }
    }

    @Test func `a target that another fetches is not had by force`() {
        let taken = TransferFailure(.targetExists, "transfer 96 is fetching it", rival: TransferID(rawValue: 96))
        #expect(!taken.advice.contains("--force") && taken.advice.contains("'offstage cancel 96'"))
        #expect(TransferFailure(.targetExists, "it already exists").advice.contains("--force"))
    }

    @Test(arguments: TransferFailure.Code.allCases)
    func `every failure has advice, and the code that Apple has for it`(code: TransferFailure.Code) {
        let failure = TransferFailure(code, "it failed")
        #expect(failure.advice.hasSuffix("."))
        // An app's task has neither.
        let advice = failure.advice(isSessionTask: true)
        #expect(advice.hasSuffix("."))
        #expect(!advice.contains("retry") && !advice.contains("--"))
        if code == .httpStatus || code == .serverBusy {
            #expect(failure.urlErrorCode == nil)
        } else {
            #expect(failure.urlErrorCode.map { $0 < 0 } == true)
        }
    }
}
