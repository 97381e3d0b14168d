// SPDX-License-Identifier: Apache-2.0

import Testing

/// Numbers of a worker, a peer, a store, a journal or a manifest may be any. A conversion that does not fit
/// and a sum that overflows end the process, so where such numbers come in each of them is checked.
@Suite("Numbers from outside are checked")
struct CheckedNumbersTests {
    /// The modules that read what others wrote, and those that show or count it.
    static let edges: Set<String> = [
        "BGRunControl", "BGRunDaemon", "BGRunHTTP", "BGRunHost", "BGRunJournal", "BGRunPush",
        "BGRunReport", "BGRunStore", "BGRunSupervisor", "BGRunTransfer", "BGRunTransferLink",
        "BGRunTransferService", "BGRunWire", "bgrun",
    ]
    /// On the line of a conversion or a sum that is in range for a reason the line does not show.
    static let justification = "// fits: "

    let files = SourceFile.all(in: "Sources", ["swift"]).filter { edges.contains($0.module ?? "") }

    @Test("an integer is narrowed with `exactly:` or `clamping:`, or says why it fits")
    func narrowing() throws {
        try #require(files.count > 100)
        for (place, text) in code where Self.narrows(text) {
            Issue.record("\(place): \(text)")
        }
    }

    @Test("dates and lengths are added and subtracted with functions that saturate")
    func times() {
        for (place, text) in code where Self.addsTimes(text) {
            Issue.record("\(place): \(text)")
        }
    }

    @Test("a line is judged by what it does")
    func judgement() {
        for bad in [
            "let code = Int32(row[4])", "UInt8(flags & mask)", "let tenth = Int(fraction * 10)",
            "return Int64(seconds.rounded())", "UInt32(max(0, left))",
        ] {
            #expect(Self.narrows(bad), "\(bad)")
        }
        for good in [
            "UInt32(clamping: left)", "Int32(exactly: code)", "Int(clamping: fraction * 10)",
            "UInt8(7)", "writer.put(UInt8(7))",
            "Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)", "UInt32(bytes.count)",
            "guard let pid = Int32(lines[0]) else { return nil }", "Int64(entries.count)",
            "UInt8(ascii: \"\\n\")", "Int(try read(UInt32.self))",
        ] {
            #expect(!Self.narrows(good), "\(good)")
        }
        #expect(Self.addsTimes("max(0, date.milliseconds - now.wall.milliseconds)"))
        #expect(Self.addsTimes("let end = bgrun_boottime_ns() + limit.nanoseconds"))
        #expect(!Self.addsTimes("now.wall.interval(until: date).nanoseconds"))
        #expect(!Self.addsTimes("let seconds = interval.nanoseconds / 1_000_000_000"))
    }

    /// Each line of code that gives no reason, without the text of its strings.
    private var code: [(place: String, text: String)] {
        files.flatMap { file in
            file.code.filter { !$0.text.contains(Self.justification) }.map { number, text in
                ("\(file.path):\(number)", Self.withoutStrings(text))
            }
        }
    }

    private static func withoutStrings(_ text: String) -> String {
        text.replacing(#/"(\\.|[^"\\])*"/#, with: "\"\"").trimmingPrefix { $0 == " " }.description
    }

    private static func narrows(_ text: String) -> Bool {
        // Text that is read gives nil where it does not fit.
        if text.contains(#/(guard|if|while|,|^) ?let \w+ = U?Int(8|16|32|64)?\(.*(,|\{|else.*)$/#) {
            return false
        }
        return text.matches(
            of:
                #/(^|[^\w.])(U?Int(?:8|16|32|64)?)\(([^()]*(?:\([^()]*(?:\([^()]*\))?[^()]*\)[^()]*)*)/#
        ).contains { match in
            let isWide = match.2 == "Int" || match.2 == "Int64"
            // A wide integer holds every integer but those of 64 bits without a sign.
            if isChecked(match.3) { return false }
            return !isWide || match.3.contains(#/fraction|rounded|Double|1e\d/#)
        }
    }

    /// Whether an argument is labelled, a constant, or the size of something in memory.
    private static func isChecked(_ argument: Substring) -> Bool {
        argument.isEmpty || argument.hasPrefix("\"")
            || argument.contains(
                #/^(exactly|clamping|truncatingIfNeeded|bitPattern|littleEndian|bigEndian|ascii):/#)
            || argument.wholeMatch(of: #/[\d_]+|[A-Z_]+[A-Z0-9_]*(\.rawValue)?( \| [A-Z0-9_]+)*/#)
                != nil
            || argument.wholeMatch(of: #/.*\.(count|rawValue)|status\.st_\w+|String\(.*/#) != nil
    }

    private static func addsTimes(_ text: String) -> Bool {
        text.contains(#/\.(milliseconds|nanoseconds)\)* [-+*] /#)
            || text.contains(#/[\w)] [-+*] \w[\w.!?()]*\.(milliseconds|nanoseconds)\b/#)
    }
}
