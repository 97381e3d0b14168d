// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The place of a process in the tree below another one, found by its parents in `/proc`.
package enum ProcessBranch: Equatable, Sendable {
    /// It is, or is below, this child of the other process.
    case child(pid_t)
    case outside
    /// It has ended, is hidden, or its parents do not stop changing.
    case unknown

    /// What `/proc` shows of a process.
    package enum Reading: Equatable, Sendable {
        case process(parent: pid_t, startTicks: Int64)
        /// It is another user's, and hidden.
        case foreign
        case missing
    }

    /// A longer line of parents is not followed: a handler could make one to delay the caller.
    package static let mostParents = 256
    private static let mostTries = 8

    /// - Parameter read: Reads a process that may end, and whose ID may be reused, between two readings.
    package init(
        of process: ProcessIdentity, below root: pid_t,
        read: (pid_t) -> Reading = Reading.init(of:)
    ) {
        for _ in 0..<Self.mostTries {
            if let branch = Self.walk(from: process, to: root, read) {
                self = branch
                return
            }
        }
        self = .unknown
    }

    /// Nil: a parent has ended meanwhile.
    private static func walk(
        from process: ProcessIdentity, to root: pid_t, _ read: (pid_t) -> Reading
    ) -> ProcessBranch? {
        var pid = process.pid
        var reading = read(pid)
        guard case .process(_, process.startTicks) = reading else { return .unknown }
        for _ in 0..<mostParents {
            guard case .process(let parent, _) = reading else { return .outside }
            if parent == root { return .child(pid) }
            if parent <= 1 { return .outside }
            let next = read(parent)
            // An unchanged child still had that parent when the parent was read. Otherwise the ID may be another
            // process's.
            guard read(pid) == reading, next != .missing else { return nil }
            pid = parent
            reading = next
        }
        return .unknown
    }
}

extension ProcessBranch.Reading {
    init(of pid: pid_t) {
        if let stat = ProcFile.statFields(of: pid) {
            self = .process(parent: stat.parent, startTicks: stat.startTicks)
        } else {
            self = kill(pid, 0) != 0 && errno == EPERM ? .foreign : .missing
        }
    }
}
