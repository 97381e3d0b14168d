// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunStorage

struct CancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel pending requests, or continued work that runs.",
        discussion: """
            Works with and without a running host. The running attempt of a continued task that is \
            named expires too (reason: cancelled). Other running attempts continue, with --all \
            every one. A schedule whose request is cancelled rests until a host starts or the task \
            is submitted. Exits with 1 when there was nothing to cancel.

            With --tag, every pending request with the tag is cancelled.

            Example: bgrun cancel com.example.notes.backup -m notes.yaml
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "The task's identifier.")
    var identifier: String?

    @Flag(help: "Cancel every pending request.")
    var all = false

    @OptionGroup var tag: TagOption
    @OptionGroup var output: JSONOption

    func validate() throws {
        let choices = [identifier != nil, all, tag.tag != nil].count(where: \.self)
        if choices != 1 { throw ValidationError("give one of an identifier, --all and --tag") }
    }

    func run() throws {
        let manifest = try app.readManifest()
        let state = try app.stateDirectory(of: manifest.app)
        let request =
            identifier.map { ControlRequest(.cancel, identifier: $0) }
            ?? tag.word.map { ControlRequest(.cancelAnnotated, annotation: $0) }
            ?? ControlRequest(.cancelAll)
        let (response, isHosted) = try HostAccess.change(request, manifest, state)
        let count = response.count ?? 0
        // Only a hint: the host may have ended since.
        let obstacle =
            count > 0 ? nil : identifier.flatMap { try? runningAttempt(of: $0, state) }
        let resting = RestingSchedules.find(of: manifest, at: state)
        if output.json {
            print(try JSONOutput.text(["cancelled": count]))
        } else {
            let requests = count == 1 ? "Cancelled 1 request" : "Cancelled \(count) requests"
            print(requests + (count > 0 ? rest(resting, isHosted, manifest, state) : ""))
        }
        if count == 0 {
            if let obstacle {
                complain(obstacle)
            } else {
                identifier.map { manifest.pointOut(undeclared: $0) }
            }
            throw ExitCode(1)
        }
    }

    /// The note that an attempt of `identifier` runs, which is not cancelled; nil without such an
    /// attempt.
    private func runningAttempt(of identifier: String, _ state: StateDirectory) throws -> String? {
        let request = ControlRequest(.explain, identifier: identifier)
        guard let view = try HostAccess.ask(request, state)?.explanation, let attempt = view.attempt
        else { return nil }
        let isExpirable = ["waiting", "granted", "asserting"].contains(view.phase ?? "")
        return "\(identifier) is running as attempt \(attempt); "
            + (isExpirable ? "`bgrun expire` ends it" : "it is ending already")
    }

    /// The note about the schedules of the cancelled tasks.
    private func rest(
        _ resting: [TaskDeclaration], _ isHosted: Bool, _ manifest: Manifest,
        _ state: StateDirectory
    ) -> String {
        let concerned = resting.filter { declaration in
            if let word = tag.word { return declaration.annotations.has(word) }
            return identifier.map(IdentifierRule(permitting: [declaration.identifier]).permits)
                ?? true
        }
        guard !concerned.isEmpty else { return "" }
        let end = RestingSchedules.end(of: concerned, isHosted: isHosted)
        guard concerned.count > 1 else {
            let whose =
                identifier == nil ? "the schedule of \(concerned[0].identifier)" : "its schedule"
            let explanation = AppExplanation(
                manifest: manifest, state: state, identifier: concerned[0].identifier)
            let sequel = try? explanation.submissionAtStart()
            return "; \(whose) rests until \(end)" + (sequel.map { "; \($0)" } ?? "")
        }
        return "; \(concerned.count) schedules rest until \(end)"
    }
}
