// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem

/// Schedules that rest: their tasks have future dates, but neither a request nor a running attempt that
/// would submit the next one.
enum RestingSchedules {
    static func find(of manifest: Manifest, in store: Store) throws -> [TaskDeclaration] {
        let now = SystemClock().now.wall
        func isWithoutRequest(_ declaration: TaskDeclaration) throws -> Bool {
            try store.pendingCount(of: declaration.identifier) == 0
        }
        let waiting = try manifest.tasks.map(\.declaration).filter { declaration in
            guard let schedule = declaration.schedule else { return false }
            let hasDates = schedule.calendar.map { $0.occurrence(after: now) != nil } ?? true
            return try hasDates && isWithoutRequest(declaration)
        }
        guard !waiting.isEmpty else { return [] }
        let cancelled = Set(try store.cancelledAttempts().map(\.id))
        let running = try store.running().map(\.attempt).filter { !cancelled.contains($0.id) }
            .map(\.request.identifier)
        return try waiting.filter { declaration in
            let rule = IdentifierRule(permitting: [declaration.identifier])
            // Its attempt may have ended between the two reads, and submitted the next date.
            return try !running.contains(where: rule.permits) && isWithoutRequest(declaration)
        }
    }

    /// The same; empty where the store is missing or cannot be read.
    static func find(of manifest: Manifest, at state: StateDirectory) -> [TaskDeclaration] {
        guard let store = try? state.storeToRead() else { return [] }
        return (try? find(of: manifest, in: store)) ?? []
    }

    /// The event that ends the rest of all `declarations`.
    ///
    /// - Parameter isHosted: Whether a host runs, which would have to start again.
    static func end(of declarations: [TaskDeclaration], isHosted: Bool) -> String {
        let subject = declarations.count == 1 ? "it" : "them"
        let start = isHosted ? "the host starts again or " : "a host starts or "
        let isLaunched = declarations.allSatisfy { $0.submission == .launch }
        return "\(isLaunched ? start : "")somebody submits \(subject)"
    }
}
