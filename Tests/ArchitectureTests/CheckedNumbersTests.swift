// SPDX-License-Identifier: Apache-2.0

import Testing

/// A worker, a peer, a store, a journal, a manifest or a scenario may supply any number. A conversion that does not fit
/// or a sum that overflows ends the process, so the modules that read such numbers must check each one.
@Suite("Numbers from outside are checked", .timeLimit(.minutes(10)))
struct CheckedNumbersTests {
    /// On or above a line, states why its conversion or sum is in range, if the line does not show it.
    static let justification = "// fits: "

    static let all = SourceFile.all(in: "Sources", ["swift"])
    /// Each line of code without such a reason, without the text of its strings.
    static let code = all.flatMap(code)
    static let numbers = OutsideNumbers(in: all)

    @Test("an integer is narrowed with `exactly:` or `clamping:`, or a comment states why it fits")
    func narrowing() throws {
        try #require(Self.all.count > 100)
        for (place, text) in Self.code where !Self.isOfCalendar(place) && Self.narrows(text) {
            Issue.record("\(place): \(text)")
        }
    }

    @Test("dates and lengths are added and subtracted with functions that saturate")
    func times() {
        for (place, text) in Self.code where Self.addsTimes(text) {
            Issue.record("\(place): \(text)")
        }
    }

    @Test("arithmetic on a number from outside saturates, reports an overflow, or has a comment")
    func operations() throws {
        try #require(Self.numbers.count > 100)
        for (place, text) in Self.code {
            let path = String(place.prefix { $0 != ":" })
            guard let name = Self.numbers.unchecked(in: text, of: path) else { continue }
            Issue.record("\(place): `\(name)` is from outside: \(text)")
        }
    }

    @Test("a line is judged by its operations")
    func judgement() {
        for bad in [
            "let code = Int32(row[4])", "UInt8(flags & mask)", "let tenth = Int(fraction * 10)",
            "return Int64(seconds.rounded())", "UInt32(max(0, left))",
            "let left = Int32(total - rows.count)",
            "guard let pid = Int32(lines[0]), send(UInt8(flags & mask)) else { return nil }",
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
        #expect(Self.addsTimes("clockShift += shift.nanoseconds / 1_000_000"))
        #expect(Self.addsTimes("Double(end.nanoseconds - begin.nanoseconds) * 2"))
        #expect(!Self.addsTimes("now.wall.interval(until: date).nanoseconds"))
        #expect(!Self.addsTimes("Double(mean.nanoseconds) + part * Double(rest.nanoseconds)"))
        #expect(!Self.addsTimes("let seconds = interval.nanoseconds / 1_000_000_000"))
    }

    @Test("a line is judged by the numbers with which it computes")
    func judgementOfOperations() {
        for bad in [
            // The three lines of the attack report.
            "end?.enteredMonotonic.flatMap { entered in launched.map { entered - $0 } }",
            "write(\"progress \\(100 * view.completed / view.total)% of \\(view.total)\")",
            "let progress = attempt.total > 0 ? \", \\(100 * attempt.completed / attempt.total)%\" : \"\"",
            "max($0, min(entered, now)) - $0", "group.reduce(0) { $0 + $1.bytes }",
            "request.failures += 1", "(view.newest ?? 0) + 1", "let late = -progress.completed",
            "abs(submitted)", "Int64(interruptions) * 2", "let left = now - attempt.launched",
            "rows / view.total", "view.until.map { $0 - now }", "task.failed + task.crashed",
            "Double(date - timeline.since) * 100 / all", "tally.ended.values.reduce(0, +)",
            // Lines from a file of metrics.
            "counts[index] += 1", "entry.ended[key, default: 0] += 1", "below += count",
            "launches.add(over + now, labels)", "failures = isFailure ? before + 1 : 0",
            "timer?.set(elapsed: now.elapsed + length)", "min(first, at + length)",
            "asleep = elapsed - monotonic", "tallies[model].moved += moved",
        ] {
            var filter = LiteralFilter()
            let text = filter.code(of: bad)
            #expect(Self.numbers.unchecked(in: text) != nil, "\(bad)")
        }
        for good in [
            "entered.saturatingSubtracting($0)", "let (sum, _) = total.addingReportingOverflow(1)",
            "failures &+ 1", "Double(completed) / Double(total)", "rows.count + 1",
            "print(\"completed - total\")", "actions += step(at: now, total: total)",
            "let all = view.completed > 0 ? view.total : 0", "names += request.bytes.map(name)",
            "total / 2", "lists[key, default: []] += [line]", "counts.countUp(key)",
        ] {
            var filter = LiteralFilter()
            let text = filter.code(of: good)
            #expect(Self.numbers.unchecked(in: text) == nil, "\(good)")
        }
    }

    @Test("an ambiguous name is checked as a field of a decoded type only")
    func judgementOfAmbiguousNames() {
        let report = "Sources/Control/Views/TaskReport.swift"
        for (bad, path) in [
            ("task.runTime.count + 1", ""), ("task.missed?.count += 1", ""),
            ("task.expiredBy.reduce(0) { $0 + $1.count }", ""), ("count += 1", report),
            ("self.count += 1", report),
            ("address - segment.address", "Sources/Inspection/ELFImage.swift"),
        ] {
            #expect(Self.numbers.unchecked(in: bad, of: path) != nil, "\(bad)")
        }
        for good in [
            "parts.count - 1", "task.expiredBy.count + 1", "count += 1", "index + 1",
            "apps.reduce(0) { $0 + $1.count }", "text += state + reason",
        ] {
            #expect(Self.numbers.unchecked(in: good) == nil, "\(good)")
        }
    }

    @Test("only the interpolations of a literal are code")
    func literals() {
        var filter = LiteralFilter()
        #expect(filter.code(of: "  a(\"x - y\") // b") == "a(\"\") ")
        #expect(filter.code(of: "a = \"\"\"") == "a = \"\"")
        #expect(filter.code(of: "  total + \\(total - 1)") == "(total - 1) ")
        #expect(filter.code(of: "\"\"\" + b") == "+ b")
    }

    private static func code(of file: SourceFile) -> [(place: String, text: String)] {
        var filter = LiteralFilter()
        var (before, isJustified) = ("", false)
        return file.lines.enumerated().compactMap { index, line in
            isJustified = isJustified || line.contains(Self.justification)
            let text = filter.code(of: line)
            guard !text.isEmpty else { return nil }
            defer { (before, isJustified) = (isJustified ? "" : text, false) }
            guard !isJustified else { return nil }
            // An expression continues: its first operand is on the line before.
            let isRest = text.dropFirst().first == " " && "+-*/%".contains(text.prefix(1))
            return ("\(file.path):\(index + 1)", isRest ? before + " " + text : text)
        }
    }

    /// The fields of a calendar expression are within their ranges once they are parsed.
    private static func isOfCalendar(_ place: String) -> Bool {
        place.hasPrefix("Sources/Policy/Calendar/")
    }

    private static func narrows(_ text: String) -> Bool {
        guard text.contains("Int") else { return false }
        // A conversion from text returns nil if the number does not fit.
        let rest = text.replacing(
            #/(?:guard|if|while|,|^) ?let \w+ = U?Int\d*\([^()]*(?:\([^()]*\)[^()]*)*\)(?=,| \{| else)/#,
            with: "")
        return rest.matches(
            of:
                #/(^|[^\w.])(U?Int(?:8|16|32|64)?)\(([^()]*(?:\([^()]*(?:\([^()]*\))?[^()]*\)[^()]*)*)/#
        ).contains { match in
            let isWide = match.2 == "Int" || match.2 == "Int64"
            // A wide integer can hold every integer except unsigned ones of 64 bits.
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
            || argument.wholeMatch(
                of: #/[\w.?!$]+\.(count|rawValue)|status\.st_\w+|String\(.*|byte/#)
                != nil
            // The device readings of a plugin have 32 bits, and 8 bits in a frame.
            || argument.wholeMatch(of: #/MemoryLayout<\w+>\.size|device\.\w+/#) != nil
    }

    private static func addsTimes(_ text: String) -> Bool {
        guard text.contains("seconds") else { return false }
        // A floating-point number does not overflow.
        let text = text.replacing(#/Double\((?:[^() ]|\([^() ]*\))*\)/#, with: "number")
        return text.contains(#/\.(milliseconds|nanoseconds)\)* [-+*]=? /#)
            || text.contains(#/[\w)] [-+*]=? \w[\w.!?()]*\.(milliseconds|nanoseconds)\b/#)
    }
}
