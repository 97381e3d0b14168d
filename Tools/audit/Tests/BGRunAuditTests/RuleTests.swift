// SPDX-License-Identifier: Apache-2.0

import BGRunAudit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct RuleTests {
    @Test(arguments: Fixture.all("planted"))
    func `Every planted mistake is found, and nothing else`(fixture: Fixture) {
        #expect(!fixture.expected.isEmpty)
        let found = fixture.findings.marks
        #expect(fixture.expected.filter { !found.contains($0) } == [], "planted, not found")
        #expect(found.filter { !fixture.expected.contains($0) } == [], "found, not planted")
        #expect(found.count == fixture.expected.count)
    }

    @Test(arguments: Fixture.all("clean"))
    func `Nothing is found in clean code`(fixture: Fixture) {
        #expect(fixture.findings.marks == [])
        #expect(fixture.expected == [])
    }

    @Test func `Nothing is found in the examples of the repository`() throws {
        // The samples of ordinary iOS code make the mistakes that such code makes.
        let examples = Fixture.repository.appending(path: "Examples")
        let names = try FileManager.default.contentsOfDirectory(atPath: examples.path)
            .filter { $0 != "ios-samples" }.sorted()
        let ending = try Tool.run(names.map { examples.appending(path: $0).path })
        // Exit code 66: without Swift files, there is nothing to audit.
        #expect(ending.code == 0 || ending.code == 66, "\(ending.output)")
    }

    @Test func `The clean fixtures are a dozen, and every fixture is Swift`() {
        let planted = Fixture.all("planted")
        let clean = Fixture.all("clean")
        #expect(clean.count >= 12)
        #expect((planted + clean).filter { $0.file.syntaxError != nil }.map(\.path) == [])
    }

    @Test(arguments: allRules.map { $0.id })
    func `Each rule has two planted mistakes at least`(id: String) {
        let marks = Fixture.all("planted").flatMap(\.expected)
        #expect(marks.count { $0.hasSuffix(" \(id)") } >= 2)
    }

    @Test func `Rules have an id of their own, and texts that can be put together`() {
        #expect(Set(allRules.map { $0.id }).count == allRules.count)
        for rule in allRules {
            #expect(rule.sentence.hasSuffix("."), "\(rule.id)")
            #expect(rule.why.hasSuffix("."), "\(rule.id)")
            #expect(!rule.remedy.hasSuffix("."), "\(rule.id)")
            #expect(rule.id.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
        }
    }
}
