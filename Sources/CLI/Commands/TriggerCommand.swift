// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunManifest
import BGRunPolicy

struct TriggerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger",
        abstract: "Launch a task now, regardless of its conditions.",
        discussion: """
            Needs a running host.

            Example: bgrun trigger com.example.notes.backup -m notes.yaml
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "The task's identifier.")
    var identifier: String

    @Option(
        help: .value("json", "A JSON object whose keys replace or extend the task's parameters."))
    var parameters: String?

    @OptionGroup var output: JSONOption

    func validate() throws {
        if let problem = parameters.flatMap(Parameters.problem) {
            throw ValidationError("--parameters: \(problem)")
        }
    }

    func run() throws {
        let request = ControlRequest(.trigger, identifier: identifier, parameters: parameters)
        let attempt = try app.askRunningHost(request).attempt ?? 0
        try output.printAttempt(attempt, "Starting task with identifier \(identifier)")
    }
}

struct ExpireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Revoke the time of a running task.",
        discussion: """
            Needs a running host.

            Example: bgrun expire com.example.notes.backup -m notes.yaml
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "The task's identifier.")
    var identifier: String

    @Option(
        help: .value(
            "reason",
            "The reason the handler is told: time, power-lost, network-lost, cancelled, ..."))
    var reason = "cancelled"

    @OptionGroup var output: JSONOption

    func validate() throws { _ = try StopReason(argument: reason[...]) }

    func run() throws {
        let request = ControlRequest(.expire, identifier: identifier, reason: reason)
        let attempt = try app.askRunningHost(request).attempt ?? 0
        try output.printAttempt(attempt, "Expiring task with identifier \(identifier)")
    }
}

extension AppOptions {
    /// The answer of the host of this app; without one the command ends.
    fileprivate func askRunningHost(_ request: ControlRequest) throws -> ControlResponse {
        let manifest = try readManifest()
        if request.command == .trigger {
            try manifest.requireValid(request.parameters, of: request.identifier ?? "")
        }
        let state = try stateDirectory(of: manifest.app)
        guard let response = try HostAccess.ask(request, state, isChange: true) else {
            throw Exit.unavailable.reporting(
                "no host of \(manifest.app) is running; "
                    + "start one with `bgrun --manifest \(manifest.path)\(self.place.arguments)`")
        }
        return try response.orRefused()
    }
}

extension JSONOption {
    fileprivate func printAttempt(_ attempt: Int64, _ text: String) throws {
        print(json ? try JSONOutput.text(["attempt": attempt]) : "\(text) (attempt \(attempt))")
    }
}
