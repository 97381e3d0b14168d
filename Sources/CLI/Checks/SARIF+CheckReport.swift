// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

extension SARIF {
    /// The result of `plugin check`: failed cases are errors, cases with a warning are warnings; others are omitted.
    init(_ report: CheckReport) {
        let cases = CheckCase.all
        let file = PhysicalLocation(artifactLocation: Artifact(path: report.file))
        let results = report.results.compactMap { result -> Result? in
            guard result.verdict == .failed || result.verdict == .warned else { return nil }
            let subject = result.handler.map { "handler \"\($0)\"" } ?? "the plugin"
            let found = LogText.visible(result.message ?? result.sentence)
            let functions = result.handler.map { [LogicalLocation(name: $0, kind: "function")] }
            return Result(
                ruleId: result.id, ruleIndex: cases.firstIndex { $0.id == result.id },
                level: result.verdict == .failed ? "error" : "warning",
                message: Text(text: "\(subject): \(found); \(result.remedy)"),
                locations: [Location(physicalLocation: file, logicalLocations: functions)])
        }
        let rules = cases.map {
            Rule(
                id: $0.id, shortDescription: Text(text: "A good plugin \($0.sentence)."),
                help: Text(text: $0.remedy))
        }
        let driver = Driver(name: "bgrun", version: Version.text, rules: rules)
        self.init(Run(tool: Tool(driver: driver), results: results))
    }
}
