// SPDX-License-Identifier: Apache-2.0

/// The messages that wait for an attempt of one task (Apple: it "only holds the newest one").
package struct HeldPushes: Equatable, Sendable {
    /// The oldest first.
    package private(set) var messages: [PushMessage] = []

    package init(_ messages: [PushMessage] = []) {
        self.messages = messages.sorted { $0.id < $1.id }
    }

    /// Why a message is not delivered.
    package enum Loss: String, Equatable, Sendable, CaseIterable {
        /// A newer one replaced it.
        case collapsed
        /// Its expiry date has passed.
        case expired
        /// More than `push_held` messages were held, and it was the oldest.
        case pushedOut = "pushed-out"
        /// A person removed the app.
        case forceQuit = "force-quit"
        /// Its request was cancelled.
        case cancelled
        /// The last allowed attempt of its task has failed.
        case gaveUp = "gave-up"
    }

    package struct Lost: Equatable, Sendable {
        package var message: PushMessage
        package var loss: Loss

        package init(_ message: PushMessage, _ loss: Loss) {
            self.message = message
            self.loss = loss
        }
    }

    /// Holds one more message: keeps the newest without a collapse id, and the newest of each
    /// collapse id.
    /// - Parameter limit: The maximum number of messages, at least 1.
    package mutating func hold(_ message: PushMessage, limit: Int) -> [Lost] {
        var lost = take { $0.collapseID == message.collapseID }.map { Lost($0, .collapsed) }
        messages.append(message)
        let excess = max(0, messages.count - max(1, limit))
        lost += messages.prefix(excess).map { Lost($0, .pushedOut) }
        messages.removeFirst(excess)
        return lost
    }

    package mutating func expire(at now: WallTime) -> [Lost] {
        take { $0.expires.map { $0 <= now } ?? false }.map { Lost($0, .expired) }
    }

    /// Removes the messages in `ids` after an attempt that received them has completed.
    package mutating func deliver(_ ids: Set<Int64>) -> [PushMessage] {
        take { ids.contains($0.id) }
    }

    /// Drops all of them, or those for which `isDropped` returns true.
    package mutating func discard(
        _ loss: Loss, where isDropped: (PushMessage) -> Bool = { _ in true }
    ) -> [Lost] {
        take(isDropped).map { Lost($0, loss) }
    }

    /// When the next message expires; nil for never.
    package var nextExpiry: WallTime? { messages.compactMap(\.expires).min() }

    private mutating func take(_ isTaken: (PushMessage) -> Bool) -> [PushMessage] {
        let taken = messages.filter(isTaken)
        messages.removeAll(where: isTaken)
        return taken
    }
}
