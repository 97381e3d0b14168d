// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Admits clients with one bearer token. Refuses others in the manner of Apple's push service (APNs).
package struct BearerGate: Codable, Sendable {
    private let token: String
    private let status: Int
    /// The body of a refusal: a client without the token must not cost the time to encode it.
    private let body: String

    /// - Parameters:
    ///   - status: The status of a refusal.
    ///   - reason: APNs' name for it.
    package init(token: String, status: Int, reason: String) {
        self.token = token
        self.status = status
        body = Self.body(reason)
    }

    /// The answer to a client without the token, from two headers of its request; nil: it has the token.
    func refusal(authorization: String, id: String?) -> HTTPResponse? {
        let headers = id.map { ["apns-id": $0] } ?? [:]
        let request = HTTPRequest(headers: headers)
        return Self.isToken(authorization, token)
            ? nil : Self.response(status, body, to: request)
    }

    /// Whether the head of a request contains the token.
    package static func hasToken(_ request: HTTPRequest, _ token: String) -> Bool {
        isToken(request.headers["authorization"] ?? "", token)
    }

    private static func isToken(_ given: String, _ token: String) -> Bool {
        given.lowercased().hasPrefix("bearer ")
            && HTTPGate.isSame(token, String(given.dropFirst(7)))
    }

    /// An answer with the id of the request, or a new one.
    /// - Parameter reason: APNs' name for the reason of a refusal.
    package static func response(
        _ status: Int, reason: String? = nil, to request: HTTPRequest
    ) -> HTTPResponse {
        response(status, reason.map(body) ?? "", to: request)
    }

    private static func body(_ reason: String) -> String {
        // Encoding a string never fails.
        (try? JSONEncoder().encode(["reason": reason])).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }

    private static func response(
        _ status: Int, _ body: String, to request: HTTPRequest
    ) -> HTTPResponse {
        var response = HTTPResponse(status, type: "application/json", body)
        response.headers.append(("apns-id", id(of: request) ?? UUID().uuidString))
        return response
    }

    /// The request's id if it is valid, which APNs repeats in its answer.
    package static func id(of request: HTTPRequest) -> String? {
        guard let id = request.headers["apns-id"], id.utf8.count == 36,
            id.utf8.allSatisfy({ $0 == 45 || PercentCoding.digit($0) != nil })
        else { return nil }
        return id
    }
}
