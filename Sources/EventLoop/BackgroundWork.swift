// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// Runs work that may block on other threads, and passes the results to the loop's thread, to which this object
/// belongs.
package final class BackgroundWork {
    private let loop: EventLoop
    private let done: Done
    private var handlers: [Int: () -> Void] = [:]
    private var last = 0

    /// Passes the numbers of finished work from these threads to the loop's.
    private final class Done: Sendable {
        /// Readable while numbers wait.
        let descriptor: Int32
        private let bell: Int32
        private let numbers = Mutex<[Int]>([])

        init() throws(SystemFailure) {
            (descriptor, bell) = try ProgramStart.pipe()
            for end in [descriptor, bell] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        }

        deinit {
            close(descriptor)
            close(bell)
        }

        func add(_ number: Int) {
            numbers.withLock { $0.append(number) }
            // If the pipe is full, a wake-up is already pending.
            _ = write(bell, [UInt8(1)], 1)
        }

        func take() -> [Int] {
            var rings = [UInt8](repeating: 0, count: 256)
            while read(descriptor, &rings, rings.count) > 0 {}
            return numbers.withLock { numbers in
                defer { numbers = [] }
                return numbers
            }
        }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    package init(_ loop: EventLoop) throws(SystemFailure) {
        self.loop = loop
        done = try Done()
        try loop.watch(done.descriptor) { [unowned self] _ in finish() }
    }

    private func finish() {
        for number in done.take() {
            let handler = handlers.removeValue(forKey: number)
            precondition(handler != nil, "work \(number) was done twice")
            handler?()
        }
    }

    deinit { loop.forget(done.descriptor) }

    /// Runs `work` on `queue`, and then calls `then` with its result on the loop's thread.
    package func run<Value: Sendable>(
        on queue: DispatchQueue, _ work: @escaping @Sendable () -> Value,
        then: @escaping (Value) -> Void
    ) {
        last += 1
        let outcome = Outcome<Value>()
        handlers[last] = { if let value = outcome.value.withLock({ $0 }) { then(value) } }
        queue.async { [done, last] in
            let value = work()
            outcome.value.withLock { $0 = value }
            done.add(last)
        }
    }
}
