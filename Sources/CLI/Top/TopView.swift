// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import BGRunSystem
import Glibc

/// The live view on a terminal: reports of hosts, keys and time change the model; draws the changed
/// lines.
///
/// Belongs to the loop's thread.
final class TopView {
    private let loop: EventLoop
    private let screen = TerminalScreen()
    private var model: TopModel
    private var apps: [String: WatchedApp] = [:]
    private var timer: LoopTimer?
    private var signals: SignalSource?
    private let hasColor = Terminal.hasColor(STDOUT_FILENO)
    private var isDrawing = false

    init(_ loop: EventLoop) throws(SystemFailure) {
        self.loop = loop
        let size = Terminal.size(STDOUT_FILENO)
        model = TopModel(rows: size.rows, columns: size.columns)
        timer = try LoopTimer(loop) { [unowned self] in draw() }
        signals = try SignalSource(
            loop, [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]
        ) { [unowned self] in take($0) }
    }

    /// Runs until a key or a signal ends it.
    func run(_ watched: [WatchedApp]) throws(SystemFailure) {
        for watch in watched { apps[watch.app.name] = watch }
        screen.enter()
        defer { screen.leave() }
        try loop.watch(STDIN_FILENO) { [unowned self] _ in readKeys() }
        defer { loop.forget(STDIN_FILENO) }
        for app in watched { app.start() }
        drawAfterThisRound()
        loop.run()
    }

    func update(_ overview: AppOverview) {
        model.update(overview, at: SystemClock().now.wall)
        drawAfterThisRound()
    }

    private func take(_ signal: Int32) {
        switch signal {
        case SIGTSTP:
            screen.leave()
            // The signal that requests it was handled as an event; this one stops the process.
            raise(SIGSTOP)
        case SIGCONT, SIGWINCH:
            screen.enter()
            let size = Terminal.size(STDOUT_FILENO)
            (model.rows, model.columns) = (size.rows, size.columns)
            screen.forget()
            drawAfterThisRound()
        default: loop.stop()
        }
    }

    private func readKeys() {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        // The terminal has closed.
        guard count > 0 else { return loop.stop() }
        for key in TopModel.Key.parse(Array(bytes[..<count])) {
            if let command = model.press(key) { carryOut(command) }
        }
        drawAfterThisRound()
    }

    private func carryOut(_ command: TopModel.Command) {
        switch command {
        case .quit: loop.stop()
        case .expire(let subject):
            tell(subject, .expire) {
                "expiring attempt \($0.attempt ?? 0) of \(subject.identifier)"
            }
        case .trigger(let subject):
            tell(subject, .trigger) {
                "launched \(subject.identifier) (attempt \($0.attempt ?? 0))"
            }
        case .explain(let subject):
            tell(subject, .explain) { [unowned self] in
                guard let view = $0.explanation else { return "nothing is known of it" }
                model.show(
                    ExplanationText(view: view).text.split(
                        separator: "\n", omittingEmptySubsequences: false
                    ).map(String.init))
                return nil
            }
        }
    }

    /// Shows the result in the footer.
    private func tell(
        _ subject: TopModel.Subject, _ command: ControlRequest.Command,
        _ done: (ControlResponse) -> String?
    ) {
        guard let app = apps[subject.app]?.app else { return }
        let request = ControlRequest(command, identifier: subject.identifier)
        do {
            // The view reads no keys meanwhile: it does not wait for a starting host.
            let isChange = command != .explain
            if let response = try app.ask(request, isChange: isChange, awaitsStart: false) {
                model.message = response.problem?.message ?? done(response)
            } else {
                model.message = "no host of \(app.name) runs"
            }
        } catch {
            let failure = error as? HostNotAnswering
            model.message =
                failure?.refusal ?? failure?.unreachable?.problem ?? failure?.storeWait
                ?? "the host of \(app.name) does not answer"
        }
    }

    private func drawAfterThisRound() {
        guard !isDrawing else { return }
        isDrawing = true
        loop.afterThisRound { [unowned self] in
            isDrawing = false
            draw()
        }
    }

    private func draw() {
        let now = SystemClock().now
        let frame = TopFrame(model, now: now.wall, date: TopDate(now: now.wall).text)
        screen.draw(frame.screen.map { $0.text(width: model.columns, hasColor: hasColor) })
        // Elapsed and remaining times change while something runs; otherwise nothing has to be
        // drawn.
        timer?.set(elapsed: model.isTicking ? now.elapsed.saturatingAdding(1_000_000_000) : nil)
    }
}

/// Dates in a column: the time of day, or the date of another day.
struct TopDate {
    let now: WallTime

    func text(_ date: WallTime) -> String {
        let text = date.localText
        guard text.prefix(10) != now.localText.prefix(10) else { return date.localTimeOfDay }
        // Month, day, hours and minutes.
        return String(text.dropFirst(5).dropLast(3))
    }
}
