// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Glibc

struct NextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next",
        abstract:
            "List the next dates of scheduled tasks, and the paths and sockets that start tasks.",
        discussion: """
            The dates of a manifest's calendars, or of one expression, in their zone; for `every`, \
            the date on which its request is due. A schedule that rests because no request of its \
            task is pending is marked. Other obstacles are not checked: `bgrun explain` shows \
            them. Exits with 65 if an expression is invalid.

            Example: bgrun next com.example.notes.backup -m notes.yaml
            """)

    @Option(
        name: .shortAndLong, help: .value("file", "The app's manifest."), completion: .yamlFiles)
    var manifest: String?

    @Option(help: .value("expression", "A cron expression in place of a manifest."))
    var cron: String?

    @Option(help: .value("expression", "A calendar expression of systemd in place of a manifest."))
    var calendar: String?

    @Option(
        help: .value(
            "zone", "The zone of the expression.", discussion: "Default: that of the machine."))
    var zone: String?

    @Flag(
        help: ArgumentHelp(
            "Answer lines of JSON from standard input.",
            discussion: """
                Each has `cron` or `calendar`, and may have `zone`, `count` and `from`, which is \
                in milliseconds since 1970.
                """))
    var batch = false

    @Argument(help: "Only these tasks.")
    var identifiers: [String] = []

    @Option(parsing: .unconditional, help: .value("count", "At most this many dates of each."))
    var count = 5

    @Option(
        parsing: .unconditional,
        help: .value(
            "time", "After that time instead of now: -2h, +30m, 14:30, or a date and time."),
        transform: TimeArgument.parse)
    var from: TimeArgument?

    @OptionGroup var place: StateOption
    @OptionGroup var output: JSONOption

    func validate() throws {
        let sources = [manifest != nil, cron != nil, calendar != nil, batch].count { $0 }
        if sources != 1 {
            throw ValidationError("name one of --manifest, --cron, --calendar and --batch")
        }
        if !ExpressionSource.counts.contains(count) {
            throw ValidationError("--\(ExpressionSource.countProblem)")
        }
        if manifest == nil, !identifiers.isEmpty {
            throw ValidationError("an identifier needs a --manifest")
        }
        if manifest != nil, zone != nil {
            throw ValidationError("the tasks of a manifest have zones of their own")
        }
    }

    func run() throws {
        if batch { return try ScheduleBatch.answer() }
        let now = SystemClock().now.wall
        let start = from?.date(at: now) ?? now
        if let manifest { return try show(manifest: manifest, after: start) }
        do throws(ScheduleProblem) {
            let schedule = try ExpressionSource.schedule(
                cron: cron, calendar: calendar, in: try ExpressionSource.zone(zone))
            let dates = DateList(schedule, after: start, count: count)
            let json = output.json ? (try? JSONOutput.text(dates.json)) ?? "[]" : nil
            print(json ?? dates.text(named: nil))
        } catch {
            throw objection(to: error)
        }
    }

    /// An error with the expression and a mark below the invalid part.
    private func objection(to problem: ScheduleProblem) -> any Error {
        let text = cron ?? calendar ?? ""
        var message = problem.message
        if !problem.place.isEmpty, problem.place.upperBound <= text.count {
            let margin = String(repeating: " ", count: problem.place.lowerBound)
            let mark = String(repeating: "^", count: problem.place.count)
            message += "\n  \(text)\n  \(margin)\(mark)"
        }
        return Exit.badData.reporting(message + "\n  help: \(problem.help)")
    }

    private func show(manifest path: String, after start: WallTime) throws {
        let manifest = try Manifest.read(path, .installed(checkingFiles: false))
        let declared = manifest.tasks.map(\.declaration)
        for identifier in identifiers
        where !declared.contains(where: { $0.identifier == identifier }) {
            throw Exit.refused.reporting(
                "no task of the manifest is called \"\(identifier)\""
                    + NearMiss.hint(identifier, among: declared.map(\.identifier)))
        }
        let wanted = declared.filter { identifiers.isEmpty || identifiers.contains($0.identifier) }
        let lists = wanted.compactMap { declaration in
            declaration.schedule?.calendar.map {
                (declaration.identifier, DateList($0, after: start, count: count))
            }
        }
        if output.json {
            let all = Dictionary(
                lists.map { ($0.0, $0.1.json) }, uniquingKeysWith: { first, _ in first })
            return print(try JSONOutput.text(all))
        }
        let recorded = recorded(of: manifest, path)
        let dates = lists.map { $0.1.text(named: $0.0, restsUntil: recorded.rests[$0.0]) }
        let triggers = manifest.tasks.filter { task in
            wanted.contains { $0.identifier == task.declaration.identifier }
        }.flatMap(recorded.triggers)
        if dates.isEmpty, triggers.isEmpty {
            return print("no task has a schedule, a path or a socket")
        }
        let blocks = dates + (triggers.isEmpty ? [] : [triggers.joined(separator: "\n")])
        print(blocks.joined(separator: "\n\n"))
    }

    /// The recorded schedules of the app, as far as this user may read its state.
    private func recorded(of manifest: Manifest, _ path: String) -> Recorded {
        var recorded = Recorded()
        guard let state = try? place.states.existing(of: manifest.app, manifest: path),
            access(state.database, F_OK) == 0, (try? state.becomeOwner()) != nil,
            let store = try? state.storeToRead()
        else { return recorded }
        let isHosted = (try? state.hasHost) ?? false
        for resting in (try? RestingSchedules.find(of: manifest, in: store)) ?? [] {
            recorded.rests[resting.identifier] = RestingSchedules.end(
                of: [resting], isHosted: isHosted)
        }
        for task in manifest.tasks where task.declaration.schedule?.period != nil {
            let identifier = task.declaration.identifier
            recorded.dates[identifier] = (try? store.request(identifier))?.earliest
        }
        return recorded
    }

    private struct Recorded {
        /// The event that ends the pause of each resting schedule, by identifier.
        var rests: [String: String] = [:]
        /// The dates of pending requests of tasks with a period.
        var dates: [String: WallTime] = [:]

        /// The triggers of a task other than calendar dates.
        func triggers(of task: TaskDefinition) -> [String] {
            let identifier = task.declaration.identifier
            let period = task.declaration.schedule?.period.map { period in
                let every = "every \(period.brief)"
                if let end = rests[identifier] { return "\(every)\n\(DateList.rest(until: end))" }
                return dates[identifier].map { "\(every), due at \($0.localText)" }
                    ?? "\(every): see `bgrun pending`"
            }
            let path = task.watches.map { "when \(LogText.visible($0)) changes" }
            let socket = task.listens.map { "at a connection to \(LogText.visible($0.place))" }
            return [period, path, socket].compactMap(\.self).map { "\(identifier): \($0)" }
        }
    }
}
