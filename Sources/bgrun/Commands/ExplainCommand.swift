// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunCore
import BGRunDevice
import BGRunHost
import BGRunManifest
import BGRunStore

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show what decides when a task is launched, and what holds it back now.",
        discussion: """
            Each date, condition, factor and limit with its value and the one it needs, then what \
            happened to the task last. Works with and without a running host; only a host knows \
            since when a value is as it is.
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "The task's identifier.")
    var identifier: String

    @OptionGroup var output: JSONOption

    func run() throws {
        let manifest = try app.readManifest(checkingFiles: false)
        let view = try reportingFailures {
            let state = try app.stateDirectory(of: manifest.app)
            var view = try find(manifest, state)
            view.events = try lastEvents(state)
            return view
        }
        print(output.json ? try JSONOutput.text(view) : Self.text(view))
    }

    private func find(_ manifest: Manifest, _ state: StateDirectory) throws -> ExplanationView {
        if let response = try HostAccess.ask(
            ControlRequest(.explain, identifier: identifier), state)
        {
            if let view = try response.orRefused().explanation { return view }
        }
        var restoration = Engine.Restoration()
        do throws(StoreError) {
            restoration = try Store.open(state.database, readOnly: true).restoration().0
        } catch {
            guard case .missing = error else { throw error }
        }
        let isSimulated = SimulatedState.isMarked(state)
        let device =
            isSimulated
            ? DeviceState()
            : try DeviceSnapshot.take(stateDirectory: state.path).state.stated(manifest.device)
        let engine = Engine(
            manifest.engineConfiguration, device: device, restoring: restoration)
        // A simulated device is gone with its run, and its time has stopped.
        let last = isSimulated ? try lastEvents(state).last : nil
        let now = last.map { WallTime(milliseconds: $0.at) } ?? SystemClock().now.wall
        guard let explanation = engine.explain(identifier, at: now) else {
            let declared = manifest.tasks.map(\.declaration.identifier)
            let nearest = NearMiss.nearest(to: identifier, among: declared)
            complain(
                "no task of the manifest handles \"\(identifier)\""
                    + (nearest.map { "; did you mean \"\($0)\"?" } ?? "; add it to `tasks`"))
            throw Exit.refused
        }
        return ExplanationView(explanation, now: now)
    }

    private func lastEvents(_ state: StateDirectory) throws -> [ExplanationView.Event] {
        do throws(StoreError) {
            return try Store.open(state.database, readOnly: true)
                .lastEvents(of: identifier, limit: 20).map(\.line).map {
                    ExplanationView.Event(
                        at: $0.at.wall.milliseconds, kind: $0.kind, attempt: $0.attempt,
                        text: $0.text)
                }
        } catch {
            guard case .missing = error else { throw error }
            return []
        }
    }

    private static func text(_ view: ExplanationView) -> String {
        var table = Table("", "WHAT", "NOW", "NEEDED", "SINCE", "UNTIL")
        for line in view.lines {
            table.add(
                line.satisfied ? "ok" : "no", line.name, line.current, line.needed,
                date(line.since), date(line.until))
        }
        let events = view.events.map { "\(date($0.at))  \(LogText.short($0.text))" }
        return heading(view) + "\n\n" + table.text
            + (events.isEmpty ? "" : "\n\nLAST EVENTS\n" + events.joined(separator: "\n"))
    }

    private static func heading(_ view: ExplanationView) -> String {
        let name = "\(view.identifier) (\(view.kind))"
        switch view.state {
        case "running": return "\(name) is running as attempt \(view.attempt ?? 0)"
        case "pending":
            let until = view.reasonUntil.map { ", until \(date($0)) at the latest" } ?? ""
            return "\(name) has been pending since \(date(view.submitted)): "
                + (view.reason ?? "") + until
        default: return "\(name) is not pending: nothing was submitted"
        }
    }

    private static func date(_ milliseconds: Int64?) -> String {
        milliseconds.map { WallTime(milliseconds: $0).localText } ?? "-"
    }
}
