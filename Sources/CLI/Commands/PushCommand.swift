// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunSystem
import Glibc

struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send a silent push to a task.",
        discussion: """
            The task must be of kind push. The message waits with its request, like one from a \
            push source of the manifest; of several, the newest is held, and the newest of each \
            collapse id. Once the command has exited with 0, the message is on disk. Works with \
            and without a running host.

            Example: bgrun push com.example.news.message --app com.example.news
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "The task's identifier.")
    var identifier: String

    @Option(
        help: ArgumentHelp(
            "The payload: a JSON object, a file with one, or - for standard input.",
            discussion:
                "By default {\"aps\": {\"content-available\": 1}}, which yours may omit.",
            valueName: "json"))
    var payload: String?

    @Option(help: .value("text", "The message replaces one of the same collapse id."))
    var collapseID: String?

    @Option(help: .value("number", "APNs' priority; 5 is the one for silent pushes."))
    var priority = PushRule.silentPriority

    @Option(
        help: .value("duration", "Drop the message when it has waited this long."),
        transform: DurationArgument.parse)
    var expires: Interval?

    @OptionGroup var output: JSONOption

    func validate() throws {
        if let payload, Self.isObject(payload), let problem = Self.problem(of: payload) {
            throw ValidationError("--payload: \(problem)")
        }
    }

    func run() throws {
        let manifest = try app.readManifest()
        let body = try readPayload()
        let state = try app.stateDirectory(of: manifest.app)
        let request = ControlRequest(
            .push, identifier: identifier,
            push: ControlRequest.Push(
                payload: body, collapseID: collapseID, priority: priority, expires: expires))
        let response = try HostAccess.change(request, manifest, state).response
        guard let answer = response.push else { return }
        if output.json {
            print(try JSONOutput.text(answer))
        } else if let reason = answer.reason {
            complain("\(reason): \(answer.message ?? "")")
        } else {
            print(
                "Holding push \(answer.id ?? 0) of \(identifier) (request \(answer.request ?? 0), "
                    + "messages held: \(answer.held ?? 0))")
        }
        if answer.reason != nil { throw Exit.refused }
    }

    /// The payload to send.
    private func readPayload() throws -> String {
        guard let payload else { return PushOffer.empty }
        if Self.isObject(payload) { return payload }
        let descriptor = payload == "-" ? STDIN_FILENO : open(payload, O_RDONLY | O_CLOEXEC)
        defer { if descriptor > STDIN_FILENO { close(descriptor) } }
        guard descriptor >= 0, let bytes = readAll(descriptor, limit: PushEnvelope.longest) else {
            throw Exit.noInput.reporting("\(payload): \(String(cString: strerror(errno)))")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let problem = Self.problem(of: text) {
            throw ExitCode.validationFailure.reporting(
                "--payload: \(payload == "-" ? "standard input" : payload): \(problem)")
        }
        return text
    }

    /// Whether it is the payload itself instead of a file name.
    private static func isObject(_ payload: String) -> Bool {
        payload.first { !$0.isWhitespace } == "{"
    }

    /// The JSON syntax error of a payload with its position; nil also for an empty or too long payload, which
    /// the rules of pushes refuse.
    private static func problem(of payload: String) -> String? {
        guard payload.utf8.count <= PushEnvelope.longest, !payload.allSatisfy(\.isWhitespace)
        else { return nil }
        return Parameters.problem(of: payload, example: PushOffer.empty)
    }
}
