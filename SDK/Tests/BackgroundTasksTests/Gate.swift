// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A gate that a handler or a test opens once; others wait for it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let semaphore = DispatchSemaphore(value: 0)

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        semaphore.signal()
    }

    /// Waits without blocking a thread.
    func opened() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Blocks the thread until the gate is open.
    func block() {
        semaphore.wait()
        semaphore.signal()
    }
}

/// A list that any thread may use.
final class Notes<Note: Sendable>: Sendable {
    private let notes = Mutex<[Note]>([])

    func add(_ note: Note) {
        notes.withLock { $0.append(note) }
    }

    var all: [Note] { notes.withLock { $0 } }
}
