// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The result of the answers to the questions of the decision table.
struct Advice: Encodable {
    /// The kind of the task, or `assertion`.
    private(set) var kind = "processing"
    let identifier: String
    private(set) var answers: [String: String] = [:]
    private(set) var reasons: [String] = []
    /// A manifest of one task that lint accepts.
    private(set) var manifest = ""

    /// A question without an answer, or with an unknown one.
    struct Open: Error {
        var question: DecisionTable.Question
        var given: String?
    }

    /// - Parameters:
    ///   - app: The app's identifier.
    ///   - ask: The answer to a question; nil: no answer.
    init(app: String, ask: (DecisionTable.Question) -> String?) throws(Open) {
        var keys: [(String, String)] = []
        var requires: [(String, String)] = []
        var profile: String?
        var next: String? = DecisionTable.first
        var isAssertion = false
        while let question = next.flatMap(DecisionTable.question) {
            let given = ask(question)
            guard let answer = question.answers.first(where: { $0.value == given }) else {
                throw Open(question: question, given: given)
            }
            answers[question.id] = answer.value
            if let reason = answer.reason { reasons.append(reason) }
            for effect in answer.effects {
                switch effect {
                case .kind(let kind): self.kind = kind
                case .key(let key, let value): keys.append((key, value))
                case .requires(let key, let value): requires.append((key, value))
                case .profile(let name): profile = name
                case .assertion: isAssertion = true
                }
            }
            next = answer.next
        }
        identifier = app + "." + Self.names[kind, default: "work"]
        if !requires.isEmpty {
            let pairs = requires.map { "\($0): \($1)" }.joined(separator: ", ")
            keys.insert(("requires", "{\(pairs)}"), at: 0)
        }
        manifest = Self.manifest(app, identifier, kind, keys, profile, isAssertion)
        if isAssertion { kind = "assertion" }
    }

    private static let names = [
        "app-refresh": "refresh", "processing": "maintenance", "push": "changed",
        "continued": "export", "transfer": "downloads",
    ]

    private static func manifest(
        _ app: String, _ identifier: String, _ kind: String, _ keys: [(String, String)],
        _ profile: String?, _ isAssertion: Bool
    ) -> String {
        var lines = ["bgrun: 1", "app: \(app)"]
        if let mode = TaskKind(name: kind)?.requiredMode {
            lines.append("modes: [\(mode.rawValue)]")
        }
        lines += ["permitted_identifiers: [\(identifier)]", "plugins: {exec: exec}"]
        if let profile { lines.append("policy: {profile: \(profile)}") }
        lines += ["tasks:", "  \(identifier):"]
        if isAssertion { lines.append("    # the task whose handler begins the assertion") }
        lines += [
            "    kind: \(kind)", "    handler: exec.run  # or a handler of your plugin",
            "    parameters: {command: echo done}",
        ]
        lines += keys.map { "    \($0): \($1)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
