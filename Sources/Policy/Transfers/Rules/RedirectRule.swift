// SPDX-License-Identifier: Apache-2.0

/// Whether a redirection is followed, and which parts of the request are sent again.
package enum RedirectRule {
    /// The maximum number of redirections; more count as a loop.
    package static let limit = 20

    package enum Decision: Equatable, Sendable {
        /// - keepsMethod: The method and the body stay the same; otherwise the request becomes a
        ///   GET.
        /// - keepsSecrets: Credentials, cookies and the client's certificate are sent, too.
        case follow(keepsMethod: Bool, keepsSecrets: Bool)
        /// It is not followed; the sentence gives the reason and the remedy.
        case refuse(TransferFailure, String)
    }

    /// - Parameters:
    ///   - target: The absolute URL, without a user: `WebAddress.withoutUser`.
    ///   - visited: The URLs requested so far, the first one included.
    ///   - status: 301, 302, 303, 307 or 308.
    package static func verdict(
        to target: String, visited: [String], status: Int, isUpload: Bool
    ) -> Decision {
        guard let first = visited.first.flatMap(WebAddress.init),
            let last = visited.last.flatMap(WebAddress.init)
        else { return .refuse(.badURL, "the address is not an http or https URL") }
        guard let next = WebAddress(target) else {
            return .refuse(
                .badAnswer, "the server leads to \(target), which is not an http or https URL")
        }
        if last.isSecure, !next.isSecure {
            return .refuse(
                .untrustedServer,
                "the server leads from https to \(target), which is not protected; "
                    + "write that address if it is the right one")
        }
        let keepsMethod = !isUpload || status != 303
        if visited.contains(target), keepsMethod {
            return .refuse(.tooManyRedirects, "the server leads in a circle, by way of \(target)")
        }
        guard visited.count <= limit else {
            return .refuse(
                .tooManyRedirects, "the server leads on more than \(limit) times, last to \(target)"
            )
        }
        return .follow(keepsMethod: keepsMethod, keepsSecrets: next == first)
    }

    /// Whether a header field of a request is only for its own server.
    package static func isSecret(_ name: String) -> Bool {
        ["authorization", "cookie", "proxy-authorization"].contains(name.lowercased())
    }
}
