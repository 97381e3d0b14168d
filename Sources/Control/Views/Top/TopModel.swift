// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The state of the live view and its reactions to keys. Pure: returns the commands to execute.
package struct TopModel: Sendable {
    /// A selectable row.
    package struct Subject: Equatable, Sendable {
        package var app: String
        package var identifier: String
        /// The running attempt; nil for a waiting request.
        var attempt: Int64?
    }

    package enum Key: Equatable, Sendable {
        case up, down, pageUp, pageDown, enter, escape
        case character(Character)
    }

    /// The commands of keys.
    package enum Command: Equatable, Sendable {
        case quit
        case expire(Subject)
        case trigger(Subject)
        case explain(Subject)
    }

    /// In display order.
    private(set) var apps: [AppOverview] = []
    private(set) var selected: Subject?
    /// The question that waits for `y`.
    private(set) var question: Command?
    /// Lines that cover the list, and the first shown one.
    private(set) var page: [String]?
    private(set) var pageTop = 0
    /// The result of the last command.
    package var message: String?
    package var rows: Int
    package var columns: Int

    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }

    /// The arrival of an app's last overview, by the clock of this machine.
    private var received: [String: WallTime] = [:]

    /// The time of an app's clock when this machine's is `now`: a simulated run has its own.
    func now(of app: AppOverview, at now: WallTime) -> WallTime {
        app.at.advanced(by: max(.zero, (received[app.app] ?? now).interval(until: now)))
    }

    /// Updates the state of an app.
    /// - Parameter now: This machine's clock.
    package mutating func update(_ overview: AppOverview, at now: WallTime) {
        received[overview.app] = now
        let before = subjects
        if let index = apps.firstIndex(where: { $0.app == overview.app }) {
            apps[index] = overview
        } else {
            apps.append(overview)
            apps.sort { $0.app < $1.app }
        }
        follow(before)
    }

    /// All selectable rows, from the top down.
    var subjects: [Subject] {
        apps.flatMap { app in
            app.running.map {
                Subject(app: app.app, identifier: $0.identifier, attempt: $0.attempt)
            }
                + app.pending.map {
                    Subject(app: app.app, identifier: $0.identifier, attempt: nil)
                }
        }
    }

    /// Whether the view shows a value that time alone changes.
    package var isTicking: Bool { apps.contains { !$0.running.isEmpty } }

    /// Shows lines in place of the list until a key is pressed; wraps long ones.
    package mutating func show(_ lines: [String]) {
        page = lines.flatMap { line in
            guard line.count > columns, columns > 0 else { return [line] }
            return stride(from: 0, to: line.count, by: columns).map {
                String(line.dropFirst($0).prefix(columns))
            }
        }
        pageTop = 0
    }

    /// Keeps the selection on its subject, even after its launch or end. If that disappears, selects the
    /// row that takes its place.
    private mutating func follow(_ before: [Subject]) {
        let now = subjects
        guard let selected else {
            self.selected = now.first
            return
        }
        if now.contains(selected) { return }
        let same = now.first {
            $0.app == selected.app && $0.identifier == selected.identifier
        }
        let position = before.firstIndex(of: selected) ?? 0
        self.selected = same ?? (now.isEmpty ? nil : now[min(position, now.count - 1)])
        // The question was about something that no longer exists.
        question = nil
    }

    package mutating func press(_ key: Key) -> Command? {
        message = nil
        if let asked = question {
            question = nil
            if key == .character("y") || key == .character("Y") { return asked }
            message = "nothing was changed"
            return nil
        }
        if let page { return turn(page, key) }
        switch key {
        case .character("q"): return .quit
        case .up, .character("k"): move(-1)
        case .down, .character("j"): move(1)
        case .pageUp: move(-max(1, rows - 4))
        case .pageDown: move(max(1, rows - 4))
        case .enter: return selected.map { .explain($0) }
        case .character("e"):
            guard let selected else { break }
            if selected.attempt == nil {
                message = "\(selected.identifier) is not running: there is nothing to expire"
            } else {
                question = .expire(selected)
            }
        case .character("t"):
            guard let selected else { break }
            if selected.attempt != nil {
                message = "\(selected.identifier) is running already"
            } else {
                question = .trigger(selected)
            }
        case .escape, .character: break
        }
        return nil
    }

    private mutating func turn(_ page: [String], _ key: Key) -> Command? {
        let last = max(0, page.count - (rows - 2))
        switch key {
        case .up, .character("k"): pageTop = max(0, pageTop - 1)
        case .down, .character("j"): pageTop = min(last, pageTop + 1)
        case .pageUp: pageTop = max(0, pageTop - (rows - 3))
        case .pageDown, .character(" "): pageTop = min(last, pageTop + rows - 3)
        case .enter, .escape, .character("q"): self.page = nil
        case .character: break
        }
        return nil
    }

    private mutating func move(_ distance: Int) {
        let all = subjects
        guard let selected, let index = all.firstIndex(of: selected) else {
            self.selected = all.first
            return
        }
        self.selected = all[min(max(0, index + distance), all.count - 1)]
    }
}

extension TopModel.Key {
    /// The keys that the terminal encodes as `bytes`.
    package static func parse(_ bytes: [UInt8]) -> [TopModel.Key] {
        var keys: [TopModel.Key] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            switch first {
            case 0x1B:
                // `ESC [ A`, or `ESC O A` when the terminal is in application mode.
                guard let next = rest.first, next == UInt8(ascii: "[") || next == UInt8(ascii: "O")
                else {
                    keys.append(.escape)
                    continue
                }
                rest.removeFirst()
                let sequence = rest.prefix { !(0x40...0x7E).contains($0) }
                rest = rest.dropFirst(sequence.count)
                guard let final = rest.popFirst() else { break }
                if let key = special(final, sequence) { keys.append(key) }
            case 0x0D, 0x0A: keys.append(.enter)
            case 0x20..<0x7F: keys.append(.character(Character(Unicode.Scalar(first))))
            default: break
            }
        }
        return keys
    }

    private static func special(_ final: UInt8, _ sequence: ArraySlice<UInt8>) -> TopModel.Key? {
        switch (final, sequence.first) {
        case (UInt8(ascii: "A"), _): .up
        case (UInt8(ascii: "B"), _): .down
        case (UInt8(ascii: "~"), UInt8(ascii: "5")): .pageUp
        case (UInt8(ascii: "~"), UInt8(ascii: "6")): .pageDown
        default: nil
        }
    }
}
