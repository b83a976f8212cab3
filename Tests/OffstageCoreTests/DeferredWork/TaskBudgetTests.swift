// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct TaskBudgetTests {
    @Test func `a day fills an empty bucket, and no more than that`() {
        var budget = TaskBudget(daily: 100, at: 1000)
        #expect(budget.left(at: 1000) == 100)
        budget.charge(100, at: 1000)
        #expect(budget.left(at: 1000) == 0)
        #expect(budget.empty(at: 1000) == 1000)
        #expect(abs(budget.left(at: 1000 + 43_200) - 50) < 1e-9)
        #expect(budget.empty(at: 1000 + 43_200) == nil)
        #expect(budget.left(at: 1000 + 86_400) == 100)
        #expect(budget.left(at: 1e9) == 100)
    }

    @Test func `two runs use it twice as fast`() {
        var budget = TaskBudget(daily: 86.4, at: 0)
        budget.runBegan(at: 0, until: nil)
        budget.runBegan(at: 0, until: nil)
        #expect(abs(budget.left(at: 10) - (86.4 - 20 + 0.01)) < 1e-9)
        budget.runEnded(at: 10, until: nil)
        #expect(abs(budget.left(at: 20) - (86.4 - 30 + 0.02)) < 1e-9)
        #expect(budget.refillTime(at: 20) == nil)
    }

    @Test func `at its refill time something is left, however large the clock`() throws {
        for daily in [0.5, 1800, 14_400, 80_000] {
            for start in [10.0, 1e5, 1e7] {
                var budget = TaskBudget(daily: daily, at: start)
                budget.charge(daily * 1.37, at: start + 0.1)
                let time = try #require(budget.refillTime(at: start + 0.2))
                #expect(budget.left(at: time) > 0)
                #expect(budget.left(at: time - 1) <= 0)
                #expect(abs(time - (start + 0.1 + 0.37 * 86_400)) < 0.3)
            }
        }
    }

    @Test func `one without a day's time never fills`() {
        var budget = TaskBudget(daily: 0, at: 5)
        #expect(budget.empty(at: 50) == 5)
        #expect(budget.refillTime(at: 50) == nil)
        budget.charge(1, at: 50)
        #expect(budget.fullAt == .infinity)
    }

    @Test func `one that fills faster than a run uses it stays full`() {
        var budget = TaskBudget(daily: 200_000, at: 0)
        budget.runBegan(at: 0, until: nil)
        #expect(budget.left(at: 1000) == 200_000)
        budget.runEnded(at: 1000, until: nil)
        #expect(budget.left(at: 1001) == 200_000)
    }

    @Test func `a run uses it until its end, and then it fills while the run is still on`() throws {
        var budget = TaskBudget(daily: 86.4, at: 0)
        budget.runBegan(at: 0, until: 100)
        budget.runBegan(at: 0, until: 30)
        #expect(abs(budget.left(at: 20) - (86.4 - 40 + 0.02)) < 1e-9)
        #expect(abs(budget.left(at: 40) - (86.4 - 70 + 0.04)) < 1e-9)
        let emptied = try #require(budget.empty(at: 20_000))
        #expect(abs(emptied - (86.4 - 30) / 0.999) < 0.1)
        #expect(abs(budget.left(at: 20_000) - (86.4 - 130 + 20)) < 1e-6)
        let refill = try #require(budget.refillTime(at: 90))
        #expect(abs(refill - 43_600) < 0.1)
        #expect(budget.left(at: refill) > 0)
        budget.runEnded(at: 20_000, until: 100)
        #expect(budget.runs == 1)
        budget.runEnded(at: 20_000, until: 30)
        #expect(abs(budget.left(at: 20_001) - (86.4 - 130 + 20.001)) < 1e-6)
    }
}
