// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunPolicy
import Glibc

struct AdviseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Find the kind of task that fits some work.",
        discussion: """
            Asks the questions that no option answers, if standard input is a terminal, and prints \
            the reasons and a first manifest.

            Example: bgrun advise
            """)

    @Option(help: Self.help("user-started"))
    var userStarted: String?

    @Option(help: Self.help("progress"))
    var progress: String?

    @Option(help: Self.help("trigger"))
    var trigger: String?

    @Option(help: Self.help("needs"))
    var needs: String?

    @Option(help: Self.help("fresh"))
    var fresh: String?

    @Option(help: Self.help("deferrable"))
    var deferrable: String?

    @Option(help: Self.help("network"))
    var network: String?

    @Option(help: Self.help("often"))
    var often: String?

    @Option(help: .value("identifier", "The app's identifier."))
    var app = "com.example.app"

    @Flag(help: "Print the table of questions, and ask nothing.")
    var list = false

    @OptionGroup var output: JSONOption

    /// The help of an option is its question.
    private static func help(_ id: String) -> ArgumentHelp {
        let question = DecisionTable.question(id)
        let values = question?.answers.map(\.value).joined(separator: "|") ?? ""
        return ArgumentHelp("\(question?.text ?? "")", valueName: values)
    }

    private var given: [String: String?] {
        [
            "user-started": userStarted, "progress": progress, "trigger": trigger, "needs": needs,
            "fresh": fresh, "deferrable": deferrable, "network": network, "often": often,
        ]
    }

    func validate() throws {
        guard IdentifierRule.isWellFormed(app, wildcard: false), app.contains(".") else {
            throw ValidationError("\"\(app)\" is not an identifier such as com.example.app")
        }
    }

    func run() throws {
        guard !list else { return print(DecisionTable.markdown) }
        let advice = try decide()
        for (id, answer) in given.sorted(by: { $0.key < $1.key })
        where answer != nil && advice.answers[id] == nil {
            throw ExitCode.validationFailure.reporting(
                "--\(id) decides nothing beside the other answers; drop it")
        }
        if output.json { return print(try JSONOutput.text(advice)) }
        print("# kind: \(advice.kind)")
        for reason in advice.reasons { print("# - \(reason)") }
        print(advice.manifest, terminator: "")
    }

    private func decide() throws -> Advice {
        let isAsking = Terminal.isTerminal(STDIN_FILENO) && !output.json
        do throws(Advice.Open) {
            return try Advice(app: app) { question in
                (given[question.id] ?? nil) ?? (isAsking ? Self.ask(question) : nil)
            }
        } catch {
            throw ExitCode.validationFailure.reporting(Self.sentence(error))
        }
    }

    private static func sentence(_ open: Advice.Open) -> String {
        let question = open.question
        let values = question.answers.map { "\($0.value) (\($0.text))" }.joined(separator: ", ")
        let found = open.given.map { "\"\($0)\" is not an answer to" } ?? "answer with"
        return "\(found) --\(question.id): \(question.text) \(values)"
    }

    /// Asks until the user enters a valid number or word; nil at the end of the input. Prints on
    /// standard error: standard output is the manifest.
    private static func ask(_ question: DecisionTable.Question) -> String? {
        writeError("\n\(question.text)\n")
        for (index, answer) in question.answers.enumerated() {
            writeError("  \(index + 1)  \(answer.value): \(answer.text)\n")
        }
        while true {
            writeError("> ")
            guard let line = readLine() else { return nil }
            let word = line.split(separator: " ").first.map(String.init) ?? ""
            if let number = Int(word), question.answers.indices.contains(number - 1) {
                return question.answers[number - 1].value
            }
            if question.answers.contains(where: { $0.value == word }) { return word }
            writeError("enter a number or a word of the list\n")
        }
    }
}
