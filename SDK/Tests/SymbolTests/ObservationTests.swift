// SPDX-License-Identifier: Apache-2.0

import BGRunFoundation
import Combine
import Foundation
import Testing

/// The calls of observers, in order.
private struct Told: Sendable {
    private let events: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    func add(_ event: String) { continuation.yield(event) }

    /// The next event, which another thread may add.
    var next: String? {
        get async { await events.first { _ in true } }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ObservationTests {
    @Test("An observer of the progress of an ordinary object receives the requested values")
    func progress() async {
        let progress = Progress(totalUnitCount: 4)
        let told = Told()
        let observation = progress.observe(\.fractionCompleted, options: [.old, .new, .initial]) {
            told.add("\($0.completedUnitCount) \($1.oldValue ?? -1) \($1.newValue ?? -1)")
        }
        #expect(await told.next == "0 -1.0 0.0")
        progress.completedUnitCount = 2
        #expect(await told.next == "2 0.0 0.5")
        observation.invalidate()
    }

    @Test("Without options a change has no values; releasing an observation ends it")
    func ends() async {
        let progress = Progress(totalUnitCount: 2)
        let told = Told()
        do {
            let observation = progress.observe(\.isFinished) {
                told.add("\($0.isFinished) \($1.newValue == nil) \($1.oldValue == nil)")
            }
            progress.completedUnitCount = 2
            #expect(await told.next == "true true true")
            withExtendedLifetime(observation) {}
        }
        let other = progress.observe(\.isFinished) { _, _ in told.add("other") }
        for completed in [1, 2] {
            progress.completedUnitCount = Int64(completed)
            #expect(await told.next == "other")
        }
        other.invalidate()
    }

    @Test("An operation is retained until its end was observed; its queue is observed")
    func operations() async {
        let told = Told()
        let queue = OperationQueue()
        weak var released: Operation?
        let observation: NSKeyValueObservation
        do {
            let operation = BlockOperation {}
            released = operation
            observation = operation.observe(\.isFinished) { operation, _ in
                told.add("finished \(operation.isFinished)")
            }
            queue.addOperation(operation)
        }
        #expect(await told.next == "finished true")
        while released != nil { await Task.yield() }
        observation.invalidate()
        let other = queue.observe(\.isSuspended, options: .new) { _, change in
            told.add("suspended \(change.newValue ?? false)")
        }
        queue.isSuspended = true
        #expect(await told.next == "suspended true")
        other.invalidate()
    }

    @Test("A publisher of a property sends its value and each observed change")
    func publisher() async {
        let progress = Progress(totalUnitCount: 2)
        let told = Told()
        let cancellable = progress.publisher(for: \.fractionCompleted).sink { told.add("\($0)") }
        #expect(await told.next == "0.0")
        progress.completedUnitCount = 1
        #expect(await told.next == "0.5")
        cancellable.cancel()
    }
}
