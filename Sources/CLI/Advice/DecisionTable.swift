// SPDX-License-Identifier: Apache-2.0

/// The questions that lead to a kind of task, their answers, and the effect of each. The source of
/// everything `bgrun advise` asks and prints, and of Docs/which-kind.md.
enum DecisionTable {
    struct Question {
        /// The name of its option, without the dashes.
        let id: String
        let text: String
        let answers: [Answer]
    }

    struct Answer {
        let value: String
        let text: String
        var effects: [Effect] = []
        /// The reason why the answer matters, for the advice.
        var reason: String?
        /// The question that follows; nil after the last.
        var next: String?
    }

    /// The effect of an answer on the manifest.
    enum Effect {
        case kind(String)
        case key(String, String)
        case requires(String, String)
        case profile(String)
        /// The work belongs to the end of another attempt and needs no task.
        case assertion
    }

    static let first = "user-started"

    static let questions = [
        Question(
            id: "user-started", text: "Does a person start the work and wait for it to end?",
            answers: [
                Answer(value: "yes", text: "a tap, a command", next: "progress"),
                Answer(value: "no", text: "it is unattended", next: "trigger"),
            ]),
        Question(
            id: "progress", text: "Can it report its progress?",
            answers: [
                Answer(
                    value: "yes", text: "such as 3 of 10", effects: [.kind("continued")],
                    reason: "it begins at once, and continues while it reports progress"),
                Answer(
                    value: "no", text: "it cannot",
                    effects: [.kind("processing"), .key("submit", "manual")],
                    reason: "continued work without progress expires as stalled: submit a "
                        + "processing task, and store checkpoints"),
            ]),
        Question(
            id: "trigger", text: "What makes it due?",
            answers: [
                Answer(
                    value: "message", text: "another machine or program reports a change",
                    effects: [.kind("push")],
                    reason: "a message launches it for about 30 seconds; several may cause one "
                        + "launch, which spends a budget"),
                Answer(
                    value: "transfer", text: "a download or upload is over",
                    effects: [.kind("transfer")],
                    reason: "it is launched for about 30 seconds after the transfer, and moves the "
                        + "file first"),
                Answer(
                    value: "report", text: "another task has reported, and state must be saved",
                    effects: [.assertion],
                    reason: "begin an assertion (bgrun.assertion/1) before complete, and end it "
                        + "once the state is saved"),
                Answer(
                    value: "clock", text: "time has passed, or the machine has time", next: "needs"),
            ]),
        Question(
            id: "needs", text: "How long does it take?",
            answers: [
                Answer(value: "seconds", text: "up to 30 seconds", next: "fresh"),
                Answer(
                    value: "minutes", text: "some minutes", effects: [.kind("processing")],
                    reason: "it is given minutes when the device can afford them",
                    next: "deferrable"),
                Answer(
                    value: "hours", text: "longer than one attempt",
                    effects: [
                        .kind("processing"),
                        .key("retry", "{backoff: exponential, from: 30s, to: 5h}"),
                    ],
                    reason: "hours are not guaranteed: do it in pieces, each with a checkpoint",
                    next: "deferrable"),
            ]),
        Question(
            id: "fresh", text: "Does it fetch something new for a person to see?",
            answers: [
                Answer(
                    value: "yes", text: "mail, news, the weather", effects: [.kind("app-refresh")],
                    reason:
                        "fresh content in up to 30 seconds is an app refresh: it is launched before "
                        + "the app is likely to be used", next: "often"),
                Answer(
                    value: "no", text: "maintenance", effects: [.kind("processing")],
                    reason: "maintenance leaves the refresh budget to what people see",
                    next: "deferrable"),
            ]),
        Question(
            id: "deferrable", text: "Can it wait until the device is on a charger?",
            answers: [
                Answer(
                    value: "yes", text: "cleanup, backup, indexing",
                    effects: [.requires("power", "external")],
                    reason: "it costs no battery, and waits, perhaps for days, for a charger",
                    next: "network"),
                Answer(value: "no", text: "it must run on battery, too", next: "network"),
            ]),
        Question(
            id: "network", text: "Does it need a network?",
            answers: [
                Answer(value: "no", text: "it does not", next: "often"),
                Answer(
                    value: "any", text: "any will do", effects: [.requires("network", "any")],
                    reason: "it is launched with a network, and expires when that is lost",
                    next: "often"),
                Answer(
                    value: "unmetered", text: "one that costs nothing by volume",
                    effects: [.requires("network", "unmetered")],
                    reason: "it waits for an unmetered network: a phone's hotspot does not count",
                    next: "often"),
            ]),
        Question(
            id: "often", text: "How often is it wanted?",
            answers: [
                Answer(
                    value: "minutes", text: "more often than every 15 minutes",
                    effects: [.key("every", "5m"), .profile("server")],
                    reason:
                        "for a server: the apple profile spaces launches by 15 minutes or more; "
                        + "on a device use kind push"),
                Answer(value: "hourly", text: "every hour", effects: [.key("every", "1h")]),
                Answer(value: "daily", text: "every day", effects: [.key("every", "1d")]),
                Answer(value: "once", text: "once, when the app starts"),
            ]),
    ]

    static func question(_ id: String) -> Question? { questions.first { $0.id == id } }

    /// The whole table as Markdown.
    static var markdown: String {
        var lines = ["| Question | Answer | Advice | Then |", "|---|---|---|---|"]
        for question in questions {
            for (index, answer) in question.answers.enumerated() {
                let asked = index == 0 ? "`--\(question.id)`: \(question.text)" : ""
                let cells = [
                    asked, "`\(answer.value)`: \(answer.text)", answer.advice,
                    answer.next.map { "`--\($0)`" } ?? "",
                ]
                lines.append("| " + cells.joined(separator: " | ") + " |")
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension DecisionTable.Answer {
    /// The effect on the manifest, and the reason.
    fileprivate var advice: String {
        let settings = effects.map { effect in
            switch effect {
            case .kind(let kind): "`kind: \(kind)`"
            case .key(let key, let value): "`\(key): \(value)`"
            case .requires(let key, let value): "`requires: {\(key): \(value)}`"
            case .profile(let profile): "`policy: {profile: \(profile)}`"
            case .assertion: "an assertion"
            }
        }
        return [settings.joined(separator: ", "), reason ?? ""].filter { !$0.isEmpty }
            .joined(separator: ": ")
    }
}
