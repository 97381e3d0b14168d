// SPDX-License-Identifier: Apache-2.0

/// Finds arithmetic that can overflow on numbers which others wrote. Such a number is known by its name: an
/// integer field of a type that is decoded from a frame, a row, the journal, a manifest or JSON.
struct OutsideNumbers {
    private var names = Self.bound

    /// Names to which such a field is bound where it has another one.
    private static let bound: Set<String> = [
        "before", "below", "earliest", "elapsed", "entered", "interrupted", "length", "newest",
        "over", "processed", "received", "submitted",
    ]
    /// Also names of lists, texts, our own clocks and the sizes of what is in memory. Lengths and dates as
    /// `milliseconds` and `nanoseconds` have a rule of their own.
    private static let ambiguous: Set<String> = [
        "call", "code", "count", "day", "descriptor", "error", "flags", "from", "hash",
        "held", "index", "kind", "level", "max", "milliseconds", "nanoseconds", "network", "now",
        "patience", "pending", "port", "position", "power", "process", "rawValue", "reason",
        "start",
        "records", "request", "requires", "signal", "socket", "state", "status", "value", "version",
        "within", "zone",
    ]
    /// Also names of variables of our own; as a field of something they are those of a decoded type.
    private static let fields: Set<String> = [
        "after", "at", "attempts", "budget", "bytes", "delay", "dropped", "ended", "id", "kept",
        "failed", "last", "left", "refused", "limit", "next", "number", "sent", "shortest", "size",
        "through", "timeout",
        "to", "waiting",
    ]

    /// Whatever else is in a line, it does not compute.
    private static let operators = [" +", " -", " *", " /", " %", "(-", "abs("]

    /// Of the package's sources.
    init(in files: [SourceFile]) {
        for file in files where Self.decodes(file) {
            for (_, line) in file.code {
                if let match = line.firstMatch(
                    of: #/\bvar (\w+) = \d+$|\b(?:let|var) (\w+): U?Int(?:\d\d?)?\??( =.*)?$/#),
                    let name = match.1 ?? match.2
                {
                    names.insert(String(name))
                }
                guard line.contains(#/^ *(indirect )?case \w+\(/#) else { continue }
                for match in line.matches(of: #/(\w+): U?Int(?:\d\d?)?\b/#) {
                    names.insert(String(match.1))
                }
            }
        }
        names.subtract(Self.ambiguous)
    }

    var count: Int { names.count }

    /// Whether the types of a file are decoded, there or in the module that stores or sends them.
    private static func decodes(_ file: SourceFile) -> Bool {
        file.path.hasPrefix("Sources/Protocol/") || file.path.hasPrefix("Sources/Policy/Model/")
            || file.path.hasPrefix("Sources/Policy/Transfers/Model/")
            || file.lines.contains {
                $0.contains(
                    #/(Codable|Decodable|Journaled|_ row: borrowing Row|WireReader|ManifestDecoder)\b/#
                )
            }
    }

    /// The name of such a number with which a line computes unchecked.
    func unchecked(in line: String) -> String? {
        guard Self.operators.contains(where: line.contains) else { return nil }
        if let match = line.firstMatch(of: #/([\w.]+?)(?:\.values)?\.reduce\(0, [-+*]\)/#),
            let name = name(match.1)
        {
            return name
        }
        // `$0` is what is mapped.
        let mapped = line.firstMatch(of: #/([\w.?]+)\.(?:flatMap|map) {/#).flatMap { name($0.1) }
        for match in line.matches(of: #/[\w)\]?!] ([-+*\/%]=?) /#) {
            let left = Self.operand(before: match.1.startIndex, in: line)
            let right = Self.operand(after: match.1.endIndex, in: line)
            if [left, right].contains(where: { Self.isList($0) || $0.hasPrefix("Double(") }) {
                continue
            }
            if left == "$0" || right == "$0", let name = mapped { return name }
            // What a subscript finds may have come with a decoded list.
            if match.1 == "+=", left.hasSuffix("]") { return String(left) }
            // A quotient overflows only because of its divisor.
            let isSum = !match.1.hasPrefix("/") && !match.1.hasPrefix("%")
            if let name = isSum ? name(left) ?? name(right) : name(right) { return name }
        }
        for match in line.matches(of: #/(?:^|[(\[{=,:?] ?|return )(?:-|abs\()(?=[a-z$])/#) {
            if let name = name(Self.operand(after: match.range.upperBound, in: line)) {
                return name
            }
        }
        return nil
    }

    /// The name of a number from outside that `operand` is, or is a bound or a conversion of.
    private func name(_ operand: Substring) -> String? {
        if let match = operand.wholeMatch(of: #/-?(?:U?Int\d*|max|min|abs)?\((.*)\)[?!]?/#) {
            let parts = match.1.split { ",?() ".contains($0) }
            return parts.lazy.compactMap { name($0) }.first
        }
        guard
            let match = operand.wholeMatch(
                of: #/-?(.*?\.)?(\w+?)[?!]*(?:\.(?:magnitude|milliseconds|nanoseconds))?[?!]*/#),
            names.contains(String(match.2))
        else { return nil }
        if let owner = match.1 {
            // A static member of a type is a constant of ours.
            let isOurs = owner.contains("(") || owner == "." || owner.first?.isUppercase == true
            return isOurs ? nil : String(match.2)
        }
        return Self.fields.contains(String(match.2)) ? nil : String(match.2)
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

    /// How long a name with its members, calls and subscripts is.
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

/// Takes comments and the text of string literals out of lines; what is interpolated remains.
struct LiteralFilter {
    private static let (quote, escape, slash) = (
        UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/")
    )
    private static let (open, close) = (UInt8(ascii: "("), UInt8(ascii: ")"))

    private var isInText = false
    private var line: [UInt8] = []
    private var place = 0
    private var result: [UInt8] = []

    mutating func code(of text: String) -> String {
        let text = text.drop { $0 == " " }
        guard isInText || text.utf8.contains(Self.quote) || text.utf8.contains(Self.slash) else {
            return String(text)
        }
        (line, place, result) = (Array(text.utf8), 0, [])
        if isInText { isInText = !takeText(quotes: 3) }
        if !isInText { takeCode(isInner: false) }
        return String(decoding: result.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }

    private func isNext(_ byte: UInt8, _ count: Int) -> Bool {
        place + count <= line.count && line[place..<place + count].allSatisfy { $0 == byte }
    }

    private mutating func takeCode(isInner: Bool) {
        var depth = 0
        while place < line.count, !isNext(Self.slash, 2) {
            let byte = line[place]
            if byte == Self.quote {
                let quotes = isNext(Self.quote, 3) ? 3 : 1
                place += quotes
                isInText = !takeText(quotes: quotes) && quotes == 3
                result += [Self.quote, Self.quote]
                continue
            }
            place += 1
            if byte == Self.close, isInner, depth == 0 { return }
            if byte == Self.open { depth += 1 } else if byte == Self.close { depth -= 1 }
            result.append(byte)
        }
    }

    /// Whether the text ends in this line.
    private mutating func takeText(quotes: Int) -> Bool {
        while place < line.count {
            if isNext(Self.quote, quotes) {
                place += quotes
                return true
            }
            if line[place] == Self.escape, place + 1 < line.count, line[place + 1] == Self.open {
                place += 2
                result += Array(" (".utf8)
                takeCode(isInner: true)
                result += Array(") ".utf8)
            } else {
                place += line[place] == Self.escape ? 2 : 1
            }
        }
        return false
    }
}
