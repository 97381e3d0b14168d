// SPDX-License-Identifier: Apache-2.0

/// Finds arithmetic that can overflow on numbers from outside. Such a number is recognised by its name: an
/// integer field of a type that is decoded from a frame, a row, the journal, a manifest or JSON.
struct OutsideNumbers {
    private var names = Self.bound
    /// The holders of fields with an ambiguous name, by that name.
    private var holders: [String: Holders] = [:]
    /// The ambiguous fields of a type.
    private var fieldsOfType: [String: [String]] = [:]

    /// The types that have a field of one name, and where they are.
    private struct Holders {
        var types: Set<String> = []
        /// In these files the name alone means the field.
        var files: Set<String> = []
        /// The names of values of these types: of fields, and in each file also of parameters and variables.
        var values: Set<String> = []
        var valuesOfFile: [String: Set<String>] = [:]
        /// The names of lists of such values.
        var lists: Set<String> = []
    }

    /// Other names to which code binds such a field.
    private static let bound: Set<String> = [
        "before", "below", "due", "earliest", "elapsed", "ended", "entered", "interrupted",
        "launched",
        "length", "newest", "over", "processed", "received", "since", "submitted", "until",
    ]
    /// Names that lists, texts, our own clocks and sizes in memory also have: from outside only as fields of
    /// decoded types.
    private static let ambiguous: Set<String> = [
        "address", "call", "code", "count", "day", "descriptor", "error", "flags", "from", "hash",
        "held", "index", "info", "kind", "level", "max", "name", "network", "now", "other",
        "pending", "port", "position", "power", "process", "rawValue", "reason",
        "records", "request", "requires", "section", "signal", "socket", "start", "state", "status",
        "type", "value", "version", "within", "zone",
    ]
    /// Lengths and dates have a separate rule.
    private static let lengths: Set<String> = ["milliseconds", "nanoseconds"]
    /// Names that our own variables also have; as a field they belong to a decoded type.
    private static let fields: Set<String> = [
        "after", "at", "attempts", "budget", "bytes", "delay", "dropped", "ended", "id", "kept",
        "failed", "last", "left", "refused", "limit", "next", "number", "sent", "shortest", "size",
        "through", "timeout",
        "to", "waiting",
    ]

    /// A line without one of these does not compute.
    private static let operators = [" +", " -", " *", " /", " %", "(-", "abs("]

    /// Collects the names from the package's sources.
    init(in files: [SourceFile]) {
        for file in files where Self.decodes(file) {
            // The types around a line, each with its indentation.
            var types: [(indentation: Int, name: String)] = []
            for (_, line) in file.code where !line.contains("static ") {
                let indentation = line.prefix { $0 == " " }.count
                if line.hasSuffix("{"),
                    let type = line.firstMatch(
                        of: #/\b(?:struct|class|enum|extension) (?:\w+\.)*(\w+)/#)
                {
                    types.removeAll { $0.indentation >= indentation }
                    types.append((indentation, String(type.1)))
                }
                if let match = line.firstMatch(
                    of: #/\bvar (\w+) = \d+$|\b(?:let|var) (\w+): U?Int(?:\d\d?)?\??( =.*)?$/#),
                    let name = (match.1 ?? match.2).map(String.init)
                {
                    names.insert(name)
                    let owner = types.last { $0.indentation < indentation }
                    // A field that other files cannot set is not decoded.
                    let isOurs = line.contains("private ") || line.contains("@usableFromInline ")
                    if Self.ambiguous.contains(name), !isOurs, let owner,
                        owner.indentation == indentation - 4
                    {
                        holders[name, default: Holders()].types.insert(owner.name)
                        holders[name]?.files.insert(file.path)
                    }
                }
                guard line.contains(#/^ *(indirect )?case \w+\(/#) else { continue }
                for match in line.matches(of: #/(\w+): U?Int(?:\d\d?)?\b/#) {
                    names.insert(String(match.1))
                }
            }
        }
        names.subtract(Self.ambiguous.union(Self.lengths))
        for (name, holder) in holders {
            for type in holder.types { fieldsOfType[type, default: []].append(name) }
        }
        for file in files { findValues(in: file) }
        for file in files { findElements(in: file) }
    }

    var count: Int { names.count }

    /// Finds the values of the types with ambiguous fields.
    private mutating func findValues(in file: SourceFile) {
        for (_, line) in file.code where Self.namesType(line) {
            for match in line.matches(of: #/(\w+): (\[?)(?:\w+\.)*([A-Z]\w*)(:?)/#)
            where match.4.isEmpty {
                let (value, type) = (String(match.1), String(match.3))
                let isField = line.contains("let \(value):") || line.contains("var \(value):")
                for name in fieldsOfType[type] ?? [] {
                    if !match.2.isEmpty {
                        holders[name]?.lists.insert(value)
                    } else if isField {
                        holders[name]?.values.insert(value)
                    } else {
                        holders[name]?.valuesOfFile[file.path, default: []].insert(value)
                    }
                }
            }
        }
    }

    /// Whether a colon is followed by a possible type name, or a list.
    private static func namesType(_ line: String) -> Bool {
        let bytes = line.utf8
        return zip(bytes, zip(bytes.dropFirst(), bytes.dropFirst(2))).contains { first, rest in
            first == UInt8(ascii: ":") && rest.0 == UInt8(ascii: " ")
                && (65...91).contains(rest.1)
        }
    }

    /// Finds names that are bound to such a value, or to an element of a list of such values.
    private mutating func findElements(in file: SourceFile) {
        for (_, line) in file.code where line.utf8.contains(UInt8(ascii: ".")) {
            for match in line.matches(of: #/\b(for|let) (\w+) (?:in|=) ([\w.?!]+)(\[?)/#) {
                var path = match.3.split { ".?!".contains($0) }
                let ends: Set<Substring> = ["first", "last", "max", "min"]
                let isEnd = path.count > 1 && path.last.map(ends.contains) == true
                if isEnd { path.removeLast() }
                guard let source = path.last.map(String.init) else { continue }
                let isElement = isEnd || match.1 == "for" || !match.4.isEmpty
                for (name, holder) in holders
                where (isElement ? holder.lists : holder.values).contains(source) {
                    holders[name]?.valuesOfFile[file.path, default: []].insert(String(match.2))
                }
            }
        }
    }

    /// Whether the types of a file are decoded, there or in the module that stores or sends them.
    private static func decodes(_ file: SourceFile) -> Bool {
        // The rows of SQLite are decoded elsewhere.
        guard !file.path.hasPrefix("Sources/Storage/SQLite/") else { return false }
        return file.path.hasPrefix("Sources/Protocol/")
            || file.path.hasPrefix("Sources/Policy/Model/")
            || file.path.hasPrefix("Sources/Policy/Transfers/Model/")
            // Sums of what a scenario states.
            || file.path == "Sources/Simulation/Transfers/TransferTally.swift"
            || file.lines.contains { line in
                decodedMarks.contains { line.contains($0) }
                    && line.contains(
                        #/(Codable|Decodable|WireValue|WireRecord|_ row: borrowing Row|WireReader|ManifestDecoder|ELFBytes)\b/#
                    )
            }
    }

    /// The words of the expression in `decodes`: a search for plain text is many times faster.
    private static let decodedMarks = [
        "Codable", "Decodable", "WireValue", "WireRecord", "borrowing Row", "WireReader",
        "ManifestDecoder", "ELFBytes",
    ]

    /// The name of a number from outside that a line of the file at `path` uses in unchecked arithmetic.
    func unchecked(in line: String, of path: String = "") -> String? {
        guard Self.operators.contains(where: line.contains) else { return nil }
        if let match = line.firstMatch(of: #/([\w.]+?)(?:\.values)?\.reduce\(0, [-+*]\)/#),
            let name = name(match.1, line, path)
        {
            return name
        }
        // `$0` is the mapped value.
        let mapped = line.firstMatch(of: #/([\w.?]+)\.(?:flatMap|map) {/#)
            .flatMap { name($0.1, line, path) }
        for match in line.matches(of: #/[\w)\]?!] ([-+*\/%]=?) /#) {
            let left = Self.operand(before: match.1.startIndex, in: line)
            let right = Self.operand(after: match.1.endIndex, in: line)
            if [left, right].contains(where: { Self.isList($0) || $0.hasPrefix("Double(") }) {
                continue
            }
            if left == "$0" || right == "$0", let name = mapped { return name }
            // The result of a subscript may be an element of a decoded list.
            if match.1 == "+=", left.hasSuffix("]") { return String(left) }
            // A quotient overflows only because of its divisor.
            let isSum = !match.1.hasPrefix("/") && !match.1.hasPrefix("%")
            if let name = isSum
                ? name(left, line, path) ?? name(right, line, path) : name(right, line, path)
            {
                return name
            }
        }
        for match in line.matches(of: #/(?:^|[(\[{=,:?] ?|return )(?:-|abs\()(?=[a-z$])/#) {
            let operand = Self.operand(after: match.range.upperBound, in: line)
            if let name = name(operand, line, path) {
                return name
            }
        }
        return nil
    }

    /// The name of the number from outside that `operand` of a line is, bounds or converts.
    private func name(_ operand: Substring, _ line: String, _ path: String) -> String? {
        if let match = operand.wholeMatch(of: #/-?(?:U?Int\d*|max|min|abs)?\((.*)\)[?!]?/#) {
            let parts = match.1.split { ",?() ".contains($0) }
            return parts.lazy.compactMap { name($0, line, path) }.first
        }
        guard
            let match = operand.wholeMatch(
                of: #/-?(.*?\.)?(\w+?)[?!]*(?:\.(?:magnitude|milliseconds|nanoseconds))?[?!]*/#)
        else { return nil }
        let field = String(match.2)
        let owner = match.1 == "self." ? nil : match.1
        if let holders = holders[field] {
            guard let owner else { return holders.files.contains(path) ? field : nil }
            return isHolder(owner, of: holders, line, path) ? field : nil
        }
        guard names.contains(field) else { return nil }
        if let owner = match.1 {
            // A static member of a type is a constant of ours.
            let isOurs = owner.contains("(") || owner == "." || owner.first?.isUppercase == true
            return isOurs ? nil : field
        }
        return Self.fields.contains(field) ? nil : field
    }

    /// Whether the last name of `owner` names a value that has the ambiguous field.
    private func isHolder(
        _ owner: Substring, of holders: Holders, _ line: String, _ path: String
    ) -> Bool {
        let owner = owner.split { ".?!".contains($0) }.last.map(String.init) ?? ""
        // `$0` and `$1` are elements of the list whose method has the closure.
        if owner.hasPrefix("$") {
            let list = line.firstMatch(of: #/(\w+)[?!]?\.\w+(?:\([^{]*\))? \{/#)
            return list.map { holders.lists.contains(String($0.1)) } ?? false
        }
        return holders.values.contains(owner)
            || holders.valuesOfFile[path]?.contains(owner) == true
    }

    private static func isList(_ operand: Substring) -> Bool {
        operand.hasPrefix("[") || operand.contains("\"\"")
            || operand.contains(#/\.(dropFirst|filter|map|prefix|sorted|utf8)\b/#)
    }

    private static func operand(before end: String.Index, in line: String) -> Substring {
        let text = line[..<end].dropLast()
        return text.suffix(length(of: text.reversed(), opening: ")]", closing: "(["))
    }

    private static func operand(after begin: String.Index, in line: String) -> Substring {
        let text = line[begin...].drop { $0 == " " }
        let sign = text.hasPrefix("-") ? 1 : 0
        return text.prefix(sign + length(of: text.dropFirst(sign), opening: "([", closing: ")]"))
    }

    /// The length of a name with its members, calls and subscripts.
    private static func length(
        of text: some Sequence<Character>, opening: String, closing: String
    ) -> Int {
        var (length, depth) = (0, 0)
        for character in text {
            if opening.contains(character) {
                depth += 1
            } else if closing.contains(character) {
                if depth == 0 { break }
                depth -= 1
            } else if depth == 0, !character.isLetter, !character.isNumber,
                !"_.?!$".contains(character)
            {
                break
            }
            length += 1
        }
        return length
    }
}
