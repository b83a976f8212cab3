// SPDX-License-Identifier: Apache-2.0

extension TaskExecutor {
    /// Starts a task that belongs to the caller's actor and never leaves this executor.
    ///
    /// A continuation resumes its task on the task's preferred executor and only then hops to the actor's. Without a
    /// preference that is the global pool: every commit would wake a thread of it, and the pool's own timer would wake
    /// an idle daemon once a second.
    @discardableResult
    package func startTask<Success: Sendable>(
        @_inheritActorContext @_implicitSelfCapture
        _ operation: sending @escaping @isolated(any) () async -> Success
    ) -> Task<Success, Never> {
        Task(executorPreference: self, operation: operation)
    }
}
