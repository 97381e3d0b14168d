// SPDX-License-Identifier: Apache-2.0

/// The status and header of a response, for the rules.
package struct ResponseHead: Equatable, Sendable {
    package var status: Int
    /// In the order of arrival; names in lower case.
    package private(set) var fields: [TransferRequest.Header] = []

    package init(status: Int, _ fields: [TransferRequest.Header] = []) {
        self.status = status
        for field in fields { add(field.name, field.value) }
    }

    /// Adds a field with its name in lower case.
    mutating func add(_ name: String, _ value: String) {
        fields.append(TransferRequest.Header(name.lowercased(), value))
    }

    /// The first value under a name in lower case.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The announced length of the body; nil: missing or invalid.
    package var contentLength: Int64? {
        let lengths = Set(announcedLengths)
        return lengths.count == 1 ? lengths.first ?? nil : nil
    }

    /// Whether the announced length is invalid: not a number, beyond 2^63, or several different ones.
    package var hasInvalidLength: Bool { !announcedLengths.isEmpty && contentLength == nil }

    /// A proxy may have joined equal fields with commas.
    private var announcedLengths: [Int64?] {
        fields.filter { $0.name == "content-length" }
            .flatMap { $0.value.split(separator: ",", omittingEmptySubsequences: false) }
            .map { part in
                let digits = part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
                return WholeNumber.parse(String(digits))
            }
    }

    /// `Content-Range`; nil if it is missing or invalid.
    package var contentRange: ContentRange? { self["content-range"].flatMap(ContentRange.init) }

    /// A redirection to another URL; 304 and 300 do not count.
    package var isRedirect: Bool {
        [301, 302, 303, 307, 308].contains(status) && self["location"] != nil
    }
}

/// `bytes 100-199/1000`, `bytes 100-199/*` or `bytes */1000`.
package struct ContentRange: Equatable, Sendable {
    /// Nil: the server cannot send any part of the file.
    package var part: ClosedRange<Int64>?
    /// The length of the whole file; nil: unknown.
    package var total: Int64?

    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] != "*" {
            guard let number = WholeNumber.parse(sides[1]) else { return nil }
            total = number
        }
        guard sides[0] != "*" else { return }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = WholeNumber.parse(ends[0]),
            let last = WholeNumber.parse(ends[1]),
            first <= last, last < total ?? .max
        else { return nil }
        part = first...last
    }
}

/// A number in a header: digits only.
enum WholeNumber {
    static func parse(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int64(text) : nil
    }
}
