// SPDX-License-Identifier: Apache-2.0

/// A request of HTTP/1.1 or 1.0, whole and checked.
package struct HTTPRequest: Hashable, Sendable {
    package var method: String
    /// The parts of the path between slashes, decoded: `/apps/a%2Fb` is `["apps", "a/b"]`. None is
    /// empty, `.` or `..`.
    package var path: [String]
    /// Of several of one name the first.
    package var query: [String: String]
    /// Names in small letters.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(
        method: String = "GET", path: [String] = [], query: [String: String] = [:],
        headers: [String: String] = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The fields of a form that a browser has sent; empty if the body is not a form.
    package var form: [String: String] {
        let type = headers["content-type"]?.prefix { $0 != ";" }
        guard type == "application/x-www-form-urlencoded" else { return [:] }
        return PercentCoding.fields(String(decoding: body, as: UTF8.self)) ?? [:]
    }

    /// The cookie of that name.
    package func cookie(_ name: String) -> String? {
        for part in (headers["cookie"] ?? "").split(separator: ";") {
            let pair = part.trimmed.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2, pair[0] == name { return String(pair[1]) }
        }
        return nil
    }
}

/// How much of anything a request may have.
package struct HTTPLimits: Hashable, Sendable {
    /// Bytes of the request line and all headers.
    package var head = 16_384
    package var headers = 64
    package var body = 65_536

    package init() {}
}

/// Why a request is not served.
package struct HTTPRefusal: Error, Hashable, Sendable {
    package var status: Int
    package var reason: String

    package init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// An incremental parser of requests. Each byte is examined once. Stricter than the standard:
/// ambiguous requests are refused.
package struct HTTPReader {
    private let limits: HTTPLimits
    private var bytes: [UInt8] = []
    /// The header does not end before this offset.
    private var searched = 0
    /// How many places for the end of the header were looked at.
    private(set) var examined = 0
    /// The request without its body, once the header is complete, and the length of the body.
    private var head: (request: HTTPRequest, length: Int)?

    package init(_ limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// The request without its body; nil until the header is complete.
    package var headRead: HTTPRequest? { head?.request }

    /// Appends bytes. Returns the complete request, or nil if more bytes are needed.
    package mutating func read(_ more: some Sequence<UInt8>) throws(HTTPRefusal) -> HTTPRequest? {
        bytes += more
        if head == nil { try readHead() }
        guard let (request, length) = head else { return nil }
        guard bytes.count <= length else { throw HTTPRefusal(400, "more follows than the request") }
        guard bytes.count == length else { return nil }
        var whole = request
        whole.body = bytes
        return whole
    }

    /// The header is removed from the buffer once it is complete.
    private mutating func readHead() throws(HTTPRefusal) {
        let end = HTTPParser.endOfHead(bytes, from: searched, &examined)
        guard (end ?? bytes.count) <= limits.head else {
            throw HTTPRefusal(431, "the head is longer than \(limits.head) bytes")
        }
        guard let end else {
            searched = max(0, bytes.count - 3)
            return
        }
        head = try HTTPParser.head(bytes[..<end], limits)
        bytes.removeFirst(end)
    }
}

/// Parses the header of a request.
package enum HTTPParser {
    /// The request in `bytes`; nil: more bytes are needed.
    package static func parse(
        _ bytes: [UInt8], _ limits: HTTPLimits = HTTPLimits()
    ) throws(HTTPRefusal) -> HTTPRequest? {
        var reader = HTTPReader(limits)
        return try reader.read(bytes)
    }

    static func head(
        _ bytes: ArraySlice<UInt8>, _ limits: HTTPLimits
    ) throws(HTTPRefusal) -> (request: HTTPRequest, length: Int) {
        var lines = String(decoding: bytes.dropLast(4), as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        var request = try requestLine(lines.removeFirst())
        guard lines.count <= limits.headers else { throw HTTPRefusal(431, "too many headers") }
        for line in lines { try header(line, of: &request) }
        guard request.headers["transfer-encoding"] == nil else {
            throw HTTPRefusal(501, "a body needs a Content-Length")
        }
        if let host = request.headers["host"], !isHost(host) {
            throw HTTPRefusal(400, "the Host is not a name, or an address in brackets, and a port")
        }
        return (request, try contentLength(request, limits))
    }

    /// `name`, `name:port`, `[address]` or `[address]:port`: forms that every parser reads as the
    /// same name.
    static func isHost(_ host: String) -> Bool {
        var rest = host.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end > rest.startIndex,
                rest[rest.startIndex..<end].dropFirst().allSatisfy({
                    isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
                })
            else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard !name.isEmpty, name.allSatisfy(isNameByte) else { return false }
            rest = rest[name.endIndex...]
        }
        guard let colon = rest.popFirst() else { return true }
        return colon == UInt8(ascii: ":") && rest.count <= 5
            && rest.allSatisfy { (48...57).contains($0) }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...70, 97...102: true
        default: false
        }
    }

    /// Allowed in a host name.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The end of the header, searched from `start` on; counts the places in `examined`.
    static func endOfHead(
        _ bytes: [UInt8], from start: Int, _ examined: inout Int
    ) -> Int? {
        guard bytes.count >= start + 4 else { return nil }
        for index in (start + 3)..<bytes.count {
            examined &+= 1
            if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10,
                bytes[index - 3] == 13
            {
                return index + 1
            }
        }
        return nil
    }

    private static func requestLine(_ line: Substring) throws(HTTPRefusal) -> HTTPRequest {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(isTokenByte) else {
            throw HTTPRefusal(400, "the request line is invalid")
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw HTTPRefusal(505, "HTTP/1.1 is spoken here")
        }
        guard words[1].first == "/", words[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw HTTPRefusal(400, "the target must be a path")
        }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for part in parts[0].split(separator: "/") {
            guard let name = PercentCoding.decoded(part, plusIsSpace: false), name != ".",
                name != "..", !name.utf8.contains(0)
            else { throw HTTPRefusal(400, "the path is invalid") }
            path.append(name)
        }
        guard let query = PercentCoding.fields(parts.count > 1 ? String(parts[1]) : "") else {
            throw HTTPRefusal(400, "the query is invalid")
        }
        return HTTPRequest(method: String(words[0]), path: path, query: query)
    }

    private static func header(
        _ line: Substring, of request: inout HTTPRequest
    ) throws(HTTPRefusal) {
        guard let colon = line.firstIndex(of: ":") else {
            throw HTTPRefusal(400, "a header has no colon")
        }
        let name = line[..<colon]
        let value = line[line.index(after: colon)...].trimmed
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte),
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 9 })
        else { throw HTTPRefusal(400, "a header is invalid") }
        guard request.headers.updateValue(String(value), forKey: name.lowercased()) == nil else {
            throw HTTPRefusal(400, "the header \(name) comes twice")
        }
    }

    private static func contentLength(
        _ request: HTTPRequest, _ limits: HTTPLimits
    ) throws(HTTPRefusal) -> Int {
        guard let text = request.headers["content-length"] else { return 0 }
        guard !text.isEmpty, text.utf8.count < 12, text.utf8.allSatisfy({ 48...57 ~= $0 }),
            let length = Int(text)
        else { throw HTTPRefusal(400, "the Content-Length is invalid") }
        guard length <= limits.body else {
            throw HTTPRefusal(413, "the body is longer than \(limits.body) bytes")
        }
        return length
    }

    /// RFC 9110's `tchar`.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension StringProtocol {
    /// Without spaces and tabs at its ends.
    var trimmed: SubSequence {
        guard let first = firstIndex(where: { $0 != " " && $0 != "\t" }),
            let last = lastIndex(where: { $0 != " " && $0 != "\t" })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
