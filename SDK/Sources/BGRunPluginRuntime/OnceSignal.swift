// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something that happens once, and what is done then.
package final class OnceSignal: Sendable {
    private struct State {
        var hasCome = false
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package var isSent: Bool { state.withLock(\.hasCome) }

    /// It has happened. Later calls do nothing.
    package func send() {
        let actions = state.withLock { state in
            state.hasCome = true
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action() }
    }

    /// Calls `action` when it happens; at once if it has.
    package func whenSent(_ action: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            if !state.hasCome { state.actions.append(action) }
            return state.hasCome
        }
        if hasCome { action() }
    }
}
