// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import Testing

@Suite("Golden cases", .timeLimit(.minutes(10)))
struct GoldenTests {
    @Test(
        "a valid manifest is read with exactly the expected warnings",
        arguments: Case.all("valid"))
    func valid(_ example: Case) throws {
        let warnings: [Diagnostic]
        switch try example.read() {
        case .success(let reading): warnings = reading.warnings
        case .failure(let problems): warnings = problems.diagnostics
        }
        #expect(warnings.allSatisfy { $0.severity == .warning })
        #expect(try example.printed(warnings) == example.expected)
    }

    @Test(
        "an invalid manifest is refused with exactly the expected text",
        arguments: Case.all("invalid"))
    func invalid(_ example: Case) throws {
        guard case .failure(let problems) = try example.read() else {
            Issue.record("it was accepted")
            return
        }
        #expect(problems.diagnostics.contains { $0.severity == .error })
        #expect(try example.printed(problems.diagnostics) == example.expected)
        #expect(!example.expected.isEmpty)
    }

    @Test("every kind of problem in a text has a case")
    func coverage() throws {
        let text = (Case.all("valid") + Case.all("invalid")).map(\.expected).joined()
        let elsewhere: Set<DiagnosticCode> = [
            .unreadableFile, .untrustedFile, .fileTooLarge, .invalidUTF8, .controlCharacter,
            .tooManyProblems,
            .tooManyValues, .badLibrary, .missingFunction, .missingLayer,
        ]
        let missing = DiagnosticCode.allCases.filter {
            !elsewhere.contains($0) && !text.contains("[\($0.rawValue)]")
        }
        #expect(missing.isEmpty)
    }
}
