// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Draws the live view: turns a model into the lines of a screen.
package struct TopFrame {
    private let model: TopModel
    private let now: WallTime
    /// Formats a date: the time of day, with the date of another day.
    private let date: (WallTime) -> String

    package init(_ model: TopModel, now: WallTime, date: @escaping (WallTime) -> String) {
        self.model = model
        self.now = now
        self.date = date
    }

    /// Exactly as many lines as the model has rows: the list around the selection, or the page over
    /// it, and a footer.
    package var screen: [StyledLine] {
        let height = max(1, model.rows - 1)
        var lines: [StyledLine]
        if let page = model.page {
            lines = page.dropFirst(model.pageTop).prefix(height).map { StyledLine($0) }
        } else {
            let all = list
            let chosen = all.firstIndex(where: \.isSelected) ?? 0
            // Keeps the selection in the upper two thirds while more lines follow.
            let top = max(0, min(chosen - height * 2 / 3, all.count - height))
            lines = Array(all[min(top, all.count)...].prefix(height))
        }
        while lines.count < height { lines.append(StyledLine()) }
        return lines + [footer]
    }

    /// The whole list. An app appears once its host has answered.
    package var list: [StyledLine] {
        guard !model.apps.isEmpty else { return [StyledLine("reading…", .dim)] }
        return Array(model.apps.map(lines).joined(separator: [StyledLine()]))
    }

    private var footer: StyledLine {
        switch model.question {
        case .expire(let subject):
            return StyledLine("expire \(subject.identifier)? y/n", .warning)
        case .trigger(let subject):
            return StyledLine(
                "launch \(subject.identifier) now, whatever it waits for? y/n", .warning)
        case .quit, .explain, nil: break
        }
        if let message = model.message { return StyledLine(message, .warning) }
        if model.page != nil { return StyledLine("j/k scroll  enter back", .dim) }
        return StyledLine("q quit  j/k select  enter explain  e expire  t trigger", .dim)
    }

    private func lines(_ app: AppOverview) -> [StyledLine] {
        let now = model.now(of: app, at: now)
        var lines = [heading(app)]
        if let wait = app.storeWait(date) { lines.append(StyledLine("! " + wait, .warning)) }
        lines += app.notices.map { StyledLine("! " + $0, .warning) }
        lines += deviceLines(app.device)
        if !app.budgets.isEmpty { lines.append(budgetLine(app.budgets)) }
        let progress = hasBars ? "PROGRESS".padded(to: 18) : "DONE".padded(to: 6)
        if !app.running.isEmpty {
            lines.append(title("RUNNING", progress + "USED".aligned(to: 6) + " LEFT"))
            lines += app.running.map { running($0, app.app, now) }
        }
        if !app.pending.isEmpty {
            lines.append(title("PENDING", "NEXT".padded(to: 13) + "WHY IT WAITS"))
            lines += app.pending.map { pending($0, app.app) }
            let rest = [app.pendingCount, -app.pending.count].saturatingSum
            if rest > 0 { lines.append(StyledLine("  and \(rest) more", .dim)) }
        }
        if let transfers = app.transfers, !transfers.isEmpty {
            lines.append(title("TRANSFERS", progress + "A SECOND, OR WHY IT WAITS"))
            lines += transfers.map { transfer($0, app.app) }
        }
        if !app.recent.isEmpty {
            lines.append(title("ENDED", "AT".padded(to: 13) + "HOW"))
            lines += app.recent.map { ended($0, app.app) }
        }
        return lines
    }

    private func heading(_ app: AppOverview) -> StyledLine {
        var line = StyledLine(app.app, .bold)
        line.add("  \(app.running.count) running, \(app.pendingCount) pending  ")
        if let host = app.host {
            let since = host.since.map { " since \(date($0))" } ?? ""
            line.add("host \(host.process)\(since)", .dim)
        } else {
            line.add("no host runs", .warning)
        }
        return line
    }

    private func deviceLines(_ device: [DeviceBand]) -> [StyledLine] {
        var lines: [StyledLine] = []
        var line = StyledLine()
        for band in device {
            let since = band.since.map { " since \(date($0))" } ?? ""
            let length = band.name.count + band.value.count + since.count + 3
            // fits: it counts characters
            if line.count > 0, line.count + length > model.columns {
                lines.append(line)
                line = StyledLine()
            }
            if line.count > 0 { line.add("  ") }
            line.add("\(band.name) ", .dim)
            line.add(
                band.value,
                band.value == "unknown"
                    ? .warning : band.isGood.map { $0 ? .good : .warning } ?? .plain)
            line.add(since, .dim)
        }
        return line.count > 0 ? lines + [line] : lines
    }

    private func budgetLine(_ budgets: [AppOverview.Budget]) -> StyledLine {
        var line = StyledLine()
        for budget in budgets {
            if line.count > 0 { line.add("  ") }
            line.add("\(budget.name) ", .dim)
            let isSpent = budget.used >= budget.limit
            if budget.isTime {
                let used = Percentage.fraction(budget.used, max(1, budget.limit)) ?? 0
                line.add(ByteText.cells(used) + " ")
                line.add("\(length(budget.used)) of \(length(budget.limit))")
            } else {
                line.add("\(budget.used) of \(budget.limit)", isSpent ? .warning : .plain)
            }
        }
        return line
    }

    /// The width of a name column: long names need wide terminals.
    private var nameWidth: Int { max(12, min(44, model.columns * 2 / 5)) }

    /// Whether there is room for bars, and for the common prefix of an app's identifiers.
    private var isWide: Bool { model.columns >= 100 }
    private var hasBars: Bool { model.columns >= 60 }

    /// Shortens at the beginning: the end of an identifier is more specific.
    private func name(_ identifier: String, of app: String) -> String {
        let isOwn = !isWide && identifier.hasPrefix(app + ".")
        let name = isOwn ? String(identifier.dropFirst(app.count + 1)) : identifier
        return name.count > nameWidth ? "…" + name.suffix(nameWidth - 1) : name
    }

    private func title(_ first: String, _ rest: String) -> StyledLine {
        var line = StyledLine(first, .bold)
        line.pad(to: nameWidth + 3)
        line.add(rest, .dim)
        return line
    }

    private func row(_ app: String, _ identifier: String, _ attempt: Int64?) -> StyledLine {
        let isSelected =
            model.selected
            == TopModel.Subject(app: app, identifier: identifier, attempt: attempt)
        var line = StyledLine(isSelected ? "> " : "  ")
        line.isSelected = isSelected
        line.add(name(identifier, of: app))
        line.pad(to: nameWidth + 2)
        line.add(" ")
        return line
    }

    private func running(
        _ attempt: AppOverview.Running, _ app: String, _ now: WallTime
    ) -> StyledLine {
        var line = row(app, attempt.identifier, attempt.attempt)
        line.add(progress(attempt.fraction))
        line.add(attempt.launched.interval(until: now).brief.aligned(to: 6) + " ")
        let left = attempt.until.map { now.interval(until: $0).brief }
        if attempt.isExpiring {
            let next =
                attempt.phase == "expiring"
                ? "SIGTERM" : attempt.phase == "terminated" ? "SIGKILL" : nil
            line.add("expiring: \(attempt.reason ?? attempt.phase)", .bad)
            if let next, let left { line.add(", \(next) in \(left)", .bad) }
        } else if attempt.phase == "granted" {
            line.add("\(left ?? "-") left")
        } else if attempt.phase == "waiting" {
            line.add("waits for its worker")
        } else {
            line.add("\(attempt.phase), \(left ?? "-") left")
        }
        for case let text? in [attempt.title, attempt.subtitle] { line.add("  \(text)", .dim) }
        return line
    }

    private func pending(_ request: AppOverview.Pending, _ app: String) -> StyledLine {
        var line = row(app, request.identifier, nil)
        line.add((request.next.map(date) ?? "-").padded(to: 12) + " ")
        line.add(request.reason, request.blocker == nil ? .dim : .plain)
        if request.failures > 0 { line.add("  (failures: \(request.failures))", .warning) }
        return line
    }

    private func transfer(_ transfer: AppOverview.Transfer, _ app: String) -> StyledLine {
        var line = StyledLine("  ")
        line.add(name(transfer.label, of: app))
        line.pad(to: nameWidth + 3)
        line.add(progress(Percentage.fraction(transfer.bytes, transfer.total ?? 0)))
        line.add(transfer.reason ?? transfer.rate.map(ByteText.text) ?? "-")
        return line
    }

    /// The bar, if there is room, and the percentage.
    private func progress(_ fraction: Double?) -> String {
        let bar = hasBars ? (fraction.map { ByteText.cells($0) } ?? "").padded(to: 12) : ""
        return bar + (fraction.map { "\(ByteText.percent($0))%" } ?? "").aligned(to: 5) + " "
    }

    private func ended(_ attempt: AppOverview.Ended, _ app: String) -> StyledLine {
        var line = StyledLine("  ")
        line.add(name(attempt.identifier, of: app))
        line.pad(to: nameWidth + 2)
        line.add(" " + date(attempt.ended).padded(to: 12) + " ")
        let outcome = attempt.reason.map { "\(attempt.outcome) (\($0))" } ?? attempt.outcome
        line.add(outcome, attempt.outcome == "completed" ? .good : .bad)
        if let ran = attempt.ran { line.add(" after \(length(ran))") }
        if let message = attempt.message { line.add("  \(message)", .dim) }
        return line
    }

    private func length(_ milliseconds: Int64) -> String {
        (1..<1_000).contains(milliseconds)
            ? "\(milliseconds)ms" : Interval.milliseconds(max(0, milliseconds)).brief
    }
}
