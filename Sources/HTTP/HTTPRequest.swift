// SPDX-License-Identifier: Apache-2.0

/// A complete and valid request of HTTP/1.1 or 1.0.
package struct HTTPRequest: Equatable, Sendable {
    package var method: String
    /// The decoded parts of the path between slashes: `/apps/a%2Fb` is `["apps", "a/b"]`. No part is
    /// empty, `.` or `..`.
    package var path: [String]
    /// The first value of each name.
    package var query: [String: String]
    /// By lower-case name.
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

    /// Whether a browser sent it, to display the answer.
    package var wantsPage: Bool { headers["accept"]?.contains("text/html") ?? false }

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

/// The size limits of a request.
package struct HTTPLimits: Codable, Equatable, Sendable {
    /// Bytes of the request line and all headers.
    package var head = 16_384
    package var headers = 64
    package var body = 65_536

    package init() {}
}

/// The reason why a request is refused.
package struct HTTPRefusal: Error, Equatable, Sendable {
    package var status: Int
    package var reason: String

    package init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// Checks a head whose lines another parser has split. Stricter than the standard: refuses ambiguous
/// requests.
package enum HTTPHead {
    /// The request without its body.
    /// - Parameter target: The received target, with its percent codes.
    package static func request(
        method: String, target: String, version: String, headers: [(name: String, value: String)],
        _ limits: HTTPLimits = HTTPLimits()
    ) throws(HTTPRefusal) -> HTTPRequest {
        guard !method.isEmpty, method.utf8.allSatisfy(isTokenByte) else {
            throw HTTPRefusal(400, "the request line is invalid")
        }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw HTTPRefusal(505, "the HTTP version must be 1.0 or 1.1")
        }
        guard headers.count <= limits.headers else { throw HTTPRefusal(431, "too many headers") }
        var request = try Self.target(target, of: method)
        for (name, value) in headers { try header(name, value, of: &request) }
        guard request.headers["transfer-encoding"] == nil else {
            throw HTTPRefusal(501, "a body needs a Content-Length")
        }
        if let host = request.headers["host"], !isHost(host) {
            throw HTTPRefusal(400, "the Host is not a name, or an address in brackets, and a port")
        }
        return request
    }

    /// The length of the body that a head announces.
    package static func bodyLength(
        of request: HTTPRequest, _ limits: HTTPLimits = HTTPLimits()
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

    /// `name`, `name:port`, `[address]` or `[address]:port`: forms that every parser reads as the
    /// same name.
    static func isHost(_ host: String) -> Bool {
        var rest = host.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end > rest.startIndex,
                rest[rest.startIndex..<end].dropFirst().allSatisfy({
                    PercentCoding.digit($0) != nil || ":.".utf8.contains($0)
                })
            else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            let isName = name.allSatisfy { $0.isASCIILetterOrDigit || ".-_".utf8.contains($0) }
            guard !name.isEmpty, isName else { return false }
            rest = rest[name.endIndex...]
        }
        guard let colon = rest.popFirst() else { return true }
        return colon == UInt8(ascii: ":") && rest.count <= 5
            && rest.allSatisfy { (48...57).contains($0) }
    }

    private static func target(
        _ target: String, of method: String
    ) throws(HTTPRefusal) -> HTTPRequest {
        guard target.first == "/", target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw HTTPRefusal(400, "the target must be a path")
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
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
        return HTTPRequest(method: method, path: path, query: query)
    }

    private static func header(
        _ name: String, _ value: String, of request: inout HTTPRequest
    ) throws(HTTPRefusal) {
        let value = value.trimmed
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte),
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 9 })
        else { throw HTTPRefusal(400, "a header is invalid") }
        guard request.headers.updateValue(String(value), forKey: name.lowercased()) == nil else {
            throw HTTPRefusal(400, "the header \(name) comes twice")
        }
    }

    /// RFC 9110's `tchar`.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

extension StringProtocol {
    /// The text without surrounding spaces and tabs.
    var trimmed: SubSequence {
        guard let first = firstIndex(where: { $0 != " " && $0 != "\t" }),
            let last = lastIndex(where: { $0 != " " && $0 != "\t" })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
