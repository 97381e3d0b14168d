// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunCore
import BGRunHost
import BGRunManifest
import BGRunStore

struct SubmitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Submit a task request.",
        discussion: """
            A pending request of the same identifier is replaced. Once the command has exited with \
            0, the request is on disk. Works with and without a running host.
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "The task's identifier.")
    var identifier: String

    @Option(
        help: ArgumentHelp(
            "Not before now plus this, for example 15m or 1d12h.", valueName: "duration"),
        transform: DurationArgument.parse)
    var after: Interval?

    @Option(
        help: ArgumentHelp(
            "A JSON object whose keys are laid over the task's parameters.", valueName: "json"))
    var parameters: String?

    @OptionGroup var output: JSONOption

    func validate() throws {
        if let parameters, !Parameters.isObject(parameters) {
            throw ValidationError("--parameters must be a JSON object, such as '{\"keep\": 3}'")
        }
    }

    func run() throws {
        let manifest = try app.readManifest()
        let row = try reportingFailures {
            let state = try app.stateDirectory(of: manifest.app)
            let request = ControlRequest(
                .submit, identifier: identifier, delay: after, parameters: parameters)
            return try HostAccess.change(
                request, manifest, state, byHost: \.request,
                inStore: { try submit(to: $0, manifest) })
        }
        guard let row else { return }
        if output.json {
            print(try JSONOutput.text(row))
        } else {
            print("Scheduling task with identifier \(row.identifier) (request \(row.id))")
        }
    }

    /// The rule a host goes by, with facts from the store.
    private func submit(to store: Store, _ manifest: Manifest) throws -> PendingRow {
        let configuration = manifest.engineConfiguration
        let admission = AdmissionRule(
            permitted: configuration.permitted, declarations: configuration.declarations,
            modes: configuration.modes, policy: configuration.policy)
        let pending = try store.request(identifier)
        var counts: [TaskKind: Int] = [:]
        for kind in TaskKind.allCases { counts[kind] = try store.pendingCount(kind: kind) }
        let declaration: TaskDeclaration
        do throws(Refusal) {
            declaration = try admission.admit(identifier) { kind in
                AdmissionRule.Facts(
                    isPending: pending != nil, runningAttempt: nil, pendingOfKind: counts[kind] ?? 0
                )
            }
        } catch {
            complain(error.message)
            throw Exit.refused
        }
        guard declaration.kind != .continued || declaration.strategy != .fail else {
            complain(
                Refusal.notImmediately(identifier: identifier, reason: "no host is running").message
            )
            throw Exit.refused
        }
        let now = SystemClock().now.wall
        var request = TaskRequest(
            id: try store.nextRequestID(),
            Submission(identifier: identifier, delay: after, parameters: parameters), declaration,
            now: now)
        request.follow(pending, now: now)
        try store.apply([.putRequest(request)], durability: .full)
        return PendingRow(request, reason: "no host is running")
    }
}
