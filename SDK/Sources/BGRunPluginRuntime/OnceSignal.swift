// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A one-time event with its actions.
package final class OnceSignal: Sendable {
    private struct State {
        var hasCome = false
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package var isSent: Bool { state.withLock(\.hasCome) }

    /// Sends the event. Later calls do nothing.
    package func send() {
        let actions = state.withLock { state in
            state.hasCome = true
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action() }
    }

    /// Calls `action` at the event; immediately if it has been sent.
    package func whenSent(_ action: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            if !state.hasCome { state.actions.append(action) }
            return state.hasCome
        }
        if hasCome { action() }
    }
}
