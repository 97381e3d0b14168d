// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import Glibc

struct SubmitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Submit a task request.",
        discussion: """
            A pending request of the same identifier is replaced. Once the command has exited with \
            0, the request is on disk. Works with and without a running host: without one, a line \
            on standard error says so.

            Example: bgrun submit com.example.notes.backup -m notes.yaml --after 10m
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "The task's identifier.")
    var identifier: String

    @Option(
        help: .value("duration", "Not before now plus this, for example 15m or 1d12h."),
        transform: DurationArgument.parse)
    var after: Interval?

    @Option(
        help: .value("json", "A JSON object whose keys replace or extend the task's parameters."))
    var parameters: String?

    @Option(
        name: .customLong("tag"),
        help: .value(
            "tag",
            "A tag of the request, besides those of its task; may be repeated."))
    var tags: [String] = []

    @OptionGroup var output: JSONOption

    private var annotations: Annotations { Annotations(tags: Tags(tags)) }

    func validate() throws {
        if let problem = annotations.problem { throw ValidationError("--tag: \(problem)") }
        if let problem = parameters.flatMap(Parameters.problem) {
            throw ValidationError("--parameters: \(problem)")
        }
    }

    func run() throws {
        let manifest = try app.readManifest()
        try manifest.requireValid(parameters, of: identifier)
        let declaration = manifest.task(for: identifier)?.declaration
        if let problem = declaration?.problem(with: annotations) {
            throw ExitCode.validationFailure.reporting("--tag: \(problem)")
        }
        let state = try app.stateDirectory(of: manifest.app)
        let request = ControlRequest(
            .submit, identifier: identifier, delay: after, parameters: parameters,
            annotations: annotations.isEmpty ? nil : annotations)
        let (response, hasHost) = try HostAccess.change(request, manifest, state)
        guard let row = response.request else { return }
        if output.json {
            print(try JSONOutput.text(row))
        } else {
            print("Scheduling task with identifier \(row.identifier) (request \(row.id))")
        }
        if !annotations.isEmpty, row.annotations == nil {
            complain("the running host is of an older bgrun and ignored --tag; restart it")
        }
        if !hasHost {
            // If both go to one file, this line must come second.
            fflush(nil)
            complain(
                "no host is running for \(manifest.app) (state in \(state.path)); the request is "
                    + "stored and is considered once a host runs"
                    + (output.json ? "" : obstacle(manifest, state)))
        }
    }

    /// The reason, besides its date, why the request has to wait now.
    private func obstacle(_ manifest: Manifest, _ state: StateDirectory) -> String {
        let explanation = AppExplanation(manifest: manifest, state: state, identifier: identifier)
        guard let names = try? explanation.obstacles(), !names.isEmpty else { return "" }
        return "; at present it would wait (\(names.joined(separator: ", "))): see "
            + "`bgrun explain \(identifier) -m \(manifest.path)\(app.place.arguments)`"
    }
}

extension Manifest {
    /// Ends the command if the handler of the task cannot use these parameters over those of the
    /// task.
    func requireValid(_ parameters: String?, of identifier: String) throws {
        guard let problem = Parameters.problem(of: parameters, for: identifier, in: self) else {
            return
        }
        throw ExitCode.validationFailure.reporting(
            "\(parameters == nil ? "the parameters" : "--parameters"): \(problem)")
    }
}
