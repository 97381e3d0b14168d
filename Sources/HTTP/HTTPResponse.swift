// SPDX-License-Identifier: Apache-2.0

/// What is answered. The connection ends after it.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// In the order they are sent. One whose value is not one line is not sent.
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

    /// Why a request is refused, in words.
    package init(_ refusal: HTTPRefusal) {
        self.init(refusal.status, type: "text/plain", refusal.reason + "\n")
    }

    /// What every answer says: that nothing of it is kept, and that a page loads and runs nothing but
    /// what this server has sent as a file of its own.
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
