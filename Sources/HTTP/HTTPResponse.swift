// SPDX-License-Identifier: Apache-2.0

/// What is answered. The connection ends after it.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// In the order they are sent. Values are one line.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(_ status: Int = 200, type: String, _ text: String) {
        self.status = status
        headers = [("Content-Type", type)]
        body = Array(text.utf8)
    }

    /// Sends the browser on, with GET.
    package init(seeOther target: String) {
        status = 303
        headers = [("Location", target)]
        body = []
    }

    /// What every answer says: that nothing of it is kept, and that a page loads and runs nothing but
    /// what this server has sent as a file of its own.
    private static let always = [
        ("Cache-Control", "no-store"),
        ("Connection", "close"),
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
                + "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ]

    /// As it is sent; without the body to HEAD.
    package func bytes(isHead: Bool = false) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n"
        for (name, value) in Self.always + headers {
            // A line break would let the value inject a header.
            head += "\(name): \(String(value.unicodeScalars.filter { $0.value >= 0x20 }))\r\n"
        }
        head += "Content-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + (isHead ? [] : body)
    }

    static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 303: "See Other"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Error"
        }
    }
}
