// SPDX-License-Identifier: Apache-2.0

/// An answer. The connection ends after it.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// In the order they are sent. One with a line break in its value is not sent.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(_ status: Int = 200, type: String, _ text: String) {
        self.status = status
        headers = [("Content-Type", type)]
        body = Array(text.utf8)
    }

    /// Redirects the browser, with GET.
    package init(seeOther target: String) {
        status = 303
        headers = [("Location", target)]
        body = []
    }

    /// The refusal of a request, as text.
    package init(_ refusal: HTTPRefusal) {
        self.init(refusal.status, type: "text/plain", refusal.reason + "\n")
    }

    /// The headers of every answer: nothing is cached, and a page loads and runs only files of this
    /// server.
    private static let always: [(name: String, value: String)] = [
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

    /// All headers, in order.
    package var allHeaders: [(name: String, value: String)] {
        Self.always + headers  // fits: two lists
    }
}
