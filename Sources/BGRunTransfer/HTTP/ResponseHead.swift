// SPDX-License-Identifier: Apache-2.0

/// The status and header of an answer, as rules read them.
public struct ResponseHead: Hashable, Sendable {
    public var status: Int
    /// In the order they came; names in lower case.
    public private(set) var fields: [TransferRequest.Header] = []

    public init(status: Int, _ fields: [TransferRequest.Header] = []) {
        self.status = status
        for field in fields { add(field.name, field.value) }
    }

    /// Adds a field with its name in lower case.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(TransferRequest.Header(name.lowercased(), value))
    }

    /// The first value under a name in lower case.
    public subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The length of the body that is announced.
    public var contentLength: Int64? {
        self["content-length"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// `Content-Range`; nil when there is none that can be read.
    public var contentRange: ContentRange? {
        self["content-range"].flatMap(ContentRange.init)
    }

    /// A redirection to elsewhere; 304 and 300 are none.
    public var isRedirect: Bool {
        [301, 302, 303, 307, 308].contains(status) && self["location"] != nil
    }
}

/// `bytes 100-199/1000`, `bytes 100-199/*` or `bytes */1000`.
public struct ContentRange: Hashable, Sendable {
    /// Nil: no part of the file can be sent.
    public var part: ClosedRange<Int64>?
    /// The length of the whole file; nil: not said.
    public var total: Int64?

    public init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] != "*" {
            guard let number = Self.number(sides[1]) else { return nil }
            total = number
        }
        guard sides[0] != "*" else { return }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < total ?? .max
        else { return nil }
        part = first...last
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int64(text) : nil
    }
}
