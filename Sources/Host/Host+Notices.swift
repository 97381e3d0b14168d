// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunSupervisor
import BGRunSystem

extension Host {
    /// Handles a notice about an attempt.
    func take(_ notice: AttemptNotice) {
        if notice.attempt < 0, features.contains(where: { $0.take(notice) }) { return }
        switch notice {
        case .loaded(let attempt, let plugin, let loaded):
            sayRegistered(plugin, loaded)
            writeHeld(attempt)
        case .registered(_, let plugin, let loaded):
            sayRegistered(plugin, loaded)
        case .waits(let attempt):
            send(.attemptWaits(attempt: attempt))
        case .began(let attempt):
            send(.attemptBegan(attempt: attempt))
        case .progress(let attempt, let completed, let total):
            attempts.views[attempt]?.completed = completed
            attempts.views[attempt]?.total = total
            attempts.views[attempt]?.hasReported = true
            if attempts.views[attempt]?.attempt.request.kind == .continued {
                send(.progress(attempt: attempt, completed: completed, total: total))
            }
            showRunning()
        case .title(let attempt, let title, let subtitle):
            if let title { attempts.views[attempt]?.title = title }
            if let subtitle { attempts.views[attempt]?.subtitle = subtitle }
            attempts.views[attempt]?.hasReported = true
            showRunning()
        case .line(let attempt, let line):
            keep(line, of: attempt)
        case .call(let attempt, let call, let answer):
            self.answer(call, from: attempt, answer)
        case .assertionBegan(let attempt, let id):
            send(.assertionBegan(attempt: attempt, id: id))
        case .assertionEnded(let attempt, let id):
            send(.assertionEnded(attempt: attempt, id: id))
        case .reported(let attempt):
            send(.attemptReported(attempt: attempt))
        case .deferred(let attempt, let resource):
            send(.launchDeferred([attempt], resource))
        case .ended(let attempt, let end):
            // A second end, or the end of an attempt of another host, would be kept for ever.
            if attempts.launchedMonotonic[attempt] != nil, attempts.ends[attempt] == nil {
                if let last = end.lastLines { keep(last, of: attempt, skipped: end.skippedLines) }
                attempts.ends[attempt] = end
                precondition(
                    attempts.ends.count <= attempts.launchedMonotonic.count, "too many ends")
            }
            send(.attemptEnded(attempt: attempt, end.outcome))
        }
    }

    private func keep(_ line: HandlerLine, of attempt: Int64) {
        let now = clock.now.wall
        let identifier = attempts.views[attempt]?.attempt.request.identifier
        log.write(
            LogLine(
                at: now, level: line.level, handler: identifier ?? "(no attempt)", text: line.text,
                attempt: attempt))
        guard identifier != nil else { return }
        save([.output(attempt: attempt, line.stream, text: line.text, at: now)])
    }

    /// Stores the last lines; the lines between them and the stored ones are missing in the log.
    private func keep(_ last: LastLines, of attempt: Int64, skipped: Int64) {
        guard let identifier = attempts.views[attempt]?.attempt.request.identifier else { return }
        let now = clock.now.wall
        let lines = last.lines.enumerated().map { index, line in
            // Rounds up: the clock drops the fraction of a millisecond.
            let offset = Int64(1_000_000).saturatingSubtracting(line.age.nanoseconds)
            let date = now.advanced(by: Interval(nanoseconds: offset))
            return NumberedLine(
                number: last.first + Int64(index),
                line: OutputLine(
                    stream: line.line.stream, at: min(now, date), text: line.line.text))
        }
        func write(_ text: String, _ level: LogLine.Level, at date: WallTime) {
            log.write(
                LogLine(at: date, level: level, handler: identifier, text: text, attempt: attempt))
        }
        if let note = OutputGap.note(skipped), let first = lines.first {
            write(note, .info, at: first.line.at)
        }
        for (line, stored) in zip(last.lines, lines) {
            write(line.line.text, line.line.level, at: stored.line.at)
        }
        save([.lastOutput(attempt: attempt, replacing: last.replaced, lines)])
    }
}

extension HandlerLine {
    package var level: LogLine.Level {
        switch source {
        case .standardOutput: .info
        case .standardError: .warning
        case .log(let level): LogLine.Level(rawValue: level) ?? .error
        }
    }

    fileprivate var stream: OutputStream {
        switch source {
        case .standardOutput: .standardOutput
        case .standardError: .standardError
        case .log: .log
        }
    }
}

extension AttemptNotice {
    /// 0: from a worker between attempts.
    package var attempt: Int64 {
        switch self {
        case .loaded(let attempt, _, _), .registered(let attempt, _, _),
            .waits(let attempt), .began(let attempt), .progress(let attempt, _, _),
            .title(let attempt, _, _), .line(let attempt, _),
            .call(let attempt, _, _), .assertionBegan(let attempt, _),
            .assertionEnded(let attempt, _), .reported(let attempt), .deferred(let attempt, _),
            .ended(let attempt, _):
            attempt
        }
    }
}
