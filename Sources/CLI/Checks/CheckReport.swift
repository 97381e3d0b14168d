// SPDX-License-Identifier: Apache-2.0

import BGRunConformance
import BGRunProtocol

/// The result of `plugin check`.
struct CheckReport: Encodable {
    var file: String
    /// Whether bgrun would load the plugin.
    var isAccepted = true
    var results: [Result] = []

    struct Result: Encodable {
        var id: String
        var sentence: String
        var remedy: String
        var handler: String?
        var verdict: Word
        var message: String?
    }

    enum Word: String, Encodable {
        case passed
        case warned
        case failed
        case skipped

        /// The word at the beginning of a line, eight columns wide.
        var word: String {
            switch self {
            case .passed: "ok      "
            case .warned: "warning "
            case .failed: "failed  "
            case .skipped: "skipped "
            }
        }
    }

    var failed: Int { count(.failed) }

    /// The last line. Cases without a result do not count.
    var score: String {
        let good = count(.passed) + count(.warned)
        var text = "\(good) of \(good + failed) cases passed"
        let warned = count(.warned)
        if warned > 0 { text += ", \(warned) with a warning" }
        if count(.skipped) > 0 { text += "; \(count(.skipped)) were skipped" }
        return text
    }

    func count(_ verdict: Word) -> Int { results.count { $0.verdict == verdict } }

    private enum CodingKeys: String, CodingKey {
        case file, accepted, cases, passed, warned, failed, skipped
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(file, forKey: .file)
        try container.encode(isAccepted, forKey: .accepted)
        try container.encode(results, forKey: .cases)
        try container.encode(count(.passed), forKey: .passed)
        try container.encode(count(.warned), forKey: .warned)
        try container.encode(failed, forKey: .failed)
        try container.encode(count(.skipped), forKey: .skipped)
    }
}

extension CheckReport.Result {
    init(
        _ item: CheckCase, handler: String? = nil, _ verdict: CheckReport.Word,
        _ message: String? = nil
    ) {
        self.init(
            id: item.id, sentence: item.sentence, remedy: item.remedy, handler: handler,
            verdict: verdict, message: message)
    }

    init(_ item: ConformanceCase, handler: String?, _ status: CaseStatus) {
        let item = CheckCase(item)
        switch status {
        case .passed: self.init(item, handler: handler, .passed)
        case .warned(let message): self.init(item, handler: handler, .warned, message)
        case .failed(let message): self.init(item, handler: handler, .failed, message)
        case .skipped(let message): self.init(item, handler: handler, .skipped, message)
        }
    }
}

extension SARIF {
    /// The result of `plugin check`: failed cases are errors, cases with a warning are warnings; others are omitted.
    init(_ report: CheckReport) {
        let cases = CheckCase.all
        let results = report.results.compactMap { result -> SARIF? in
            guard result.verdict == .failed || result.verdict == .warned else { return nil }
            let subject = result.handler.map { "handler \"\($0)\"" } ?? "the plugin"
            let found = LogText.visible(result.message ?? result.sentence)
            return .result(
                ruleId: result.id, ruleIndex: cases.firstIndex { $0.id == result.id },
                level: result.verdict == .failed ? "error" : "warning",
                message: "\(subject): \(found); \(result.remedy)",
                locations: [.location(path: report.file, function: result.handler)])
        }
        let rules = cases.map {
            SARIF.rule(
                id: $0.id, shortDescription: "A good plugin \($0.sentence).", help: $0.remedy)
        }
        let driver = SARIF.driver(name: "bgrun", version: Version.text, rules: rules)
        self = .log(.run(driver: driver, results: results))
    }
}
