// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import Testing

@Suite("Limits of values", .timeLimit(.minutes(5)))
struct BoundaryTests {
    @Test(
        "a value at its limit is accepted",
        arguments: [
            "earliest: 7d", "expiration: {grace: 10s}", "retry: {from: 1h, to: 1h}",
            "jitter: 7d", "every: 366d",
        ])
    func inside(line: String) throws {
        #expect(Sample.codes(Array(Sample.text(task: line).utf8)) == [], "\(line)")
    }

    @Test(
        "a value beyond its limit is refused",
        arguments: [
            ("earliest: 169h", DiagnosticCode.farEarliest),
            ("expiration: {grace: 10001ms}", .graceOverMaximum),
            ("retry: {from: 3601s, to: 1h}", .fromOverTo), ("jitter: 1h1h", .badDuration),
            ("every: 367d", .outOfRange),
        ])
    func outside(line: String, code: DiagnosticCode) throws {
        #expect(Sample.codes(Array(Sample.text(task: line).utf8)).contains(code), "\(line)")
    }

    @Test(
        "a percentage above 100 % is refused",
        arguments: [("0%", true), ("100%", true), ("101%", false)])
    func percentage(text: String, isRight: Bool) {
        let codes = Sample.codes(Array(Sample.text(rest: "device: {battery: \(text)}\n").utf8))
        #expect(codes == (isRight ? [] : [.outOfRange]), "\(text)")
    }

    @Test("a size above 2^63 bytes does not wrap to a small one")
    func size() {
        // 2^34 + 1 GiB.
        let text = Sample.text(rest: "policy: {journal_size: 17179869185GiB}\n")
        #expect(!Sample.codes(Array(text.utf8)).isEmpty)
    }

    @Test("the value of an alias counts each time it is used")
    func aliases() {
        // 30 values, 34 times in 100 lists: more than a manifest may contain, in a few thousand characters.
        let values = "[" + Array(repeating: "1", count: 30).joined(separator: ",") + "]"
        let lists = "[" + Array(repeating: "*a", count: 34).joined(separator: ",") + "]"
        let uses = Array(repeating: "*b", count: 100).joined(separator: ",")
        let text = Sample.text(rest: "x: &a \(values)\ny: &b \(lists)\nz: [\(uses)]\n")
        #expect(Sample.codes(Array(text.utf8)).contains(.tooManyValues))
    }
}
