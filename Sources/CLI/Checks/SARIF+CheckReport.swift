// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

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
