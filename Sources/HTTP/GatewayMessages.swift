// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The first line that `bgrun-gateway` reads.
package struct GatewaySettings: Codable, Sendable {
    /// The rule that admits clients, applied to the head of a request before its body is read.
    package enum Admission: Codable, Sendable {
        case bearer(BearerGate)
        case gate(HTTPGate)
    }

    package var admission: Admission
    package var limits = HTTPLimits()
    /// The maximum number of connections; others are refused.
    package var connections = 32
    /// The maximum per address; the loopback addresses of this machine count as one.
    package var connectionsOfOneAddress = 24
    /// The time limit from the connection to the end of the request, in nanoseconds.
    package var requestLimit: Int64 = 10_000_000_000
    /// The time limit of the head, and between two parts of the body, in nanoseconds.
    package var pauseLimit: Int64 = 5_000_000_000
    /// The time limit of the server's answer, in nanoseconds.
    package var answerLimit: Int64 = 60_000_000_000
    /// The time limit for receiving the answer, in nanoseconds.
    package var takingLimit: Int64 = 30_000_000_000
    /// The time, in nanoseconds, for which bytes of a refused client are discarded; nil: 500 ms. A server of
    /// another version does not send it.
    package var drainLimit: Int64?

    package init(_ admission: Admission) { self.admission = admission }

    /// The answer to a client that has waited for `answerLimit`, or cannot wait; for a sender of pushes in
    /// APNs' form.
    package func unanswered(
        _ request: HTTPRequest, because reason: String = "the server does not answer"
    ) -> HTTPResponse {
        if case .bearer = admission {
            return BearerGate.response(503, reason: "ServiceUnavailable", to: request)
        }
        return HTTPResponse(HTTPRefusal(503, reason))
    }

    /// The refusal of a client without the token, based on few headers to save time. Nil: the whole head
    /// decides.
    package func earlyRefusal(
        _ method: String, _ target: String, _ header: (String) -> String?
    ) -> HTTPResponse? {
        switch admission {
        case .bearer(let gate):
            return gate.refusal(authorization: header("Authorization") ?? "", id: header("apns-id"))
        case .gate(let gate):
            guard header("Accept")?.contains("text/html") != true,
                gate.isStranger(method, target, header)
            else { return nil }
            return HTTPResponse(HTTPRefusal(401, "the token is needed"))
        }
    }

    /// The decision on a client.
    package enum Decision: Sendable {
        case admitted
        case refused(HTTPResponse)
        /// Its sender is a browser: the server provides the page, and the body is not read.
        case refusedWithPage
    }

    /// The decision based on the head of a request without an early refusal.
    package func decision(on head: HTTPRequest) -> Decision {
        guard case .gate(let gate) = admission else { return .admitted }
        do throws(HTTPRefusal) {
            try gate.admitHead(head)
            return .admitted
        } catch {
            return head.wantsPage ? .refusedWithPage : .refused(HTTPResponse(error))
        }
    }
}

/// A message of `bgrun-gateway`, one line each.
package struct GatewayQuestion: Codable, Sendable {
    /// Repeated by the answer; nil: it listens.
    var number: Int64?
    private var method = ""
    private var path: [String] = []
    private var query: [String: String] = [:]
    private var headers: [String: String] = [:]
    private var body = Data()

    /// The message that it listens.
    package init() {}

    package init(_ number: Int64, _ request: HTTPRequest) {
        self.number = number
        method = request.method
        path = request.path
        query = request.query
        headers = request.headers
        body = Data(request.body)
    }

    package var request: HTTPRequest {
        HTTPRequest(method: method, path: path, query: query, headers: headers, body: [UInt8](body))
    }
}

/// An answer of the server.
package struct GatewayAnswer: Codable, Sendable {
    package var number: Int64
    private var status: Int
    private var headers: [[String]]
    private var body: Data

    package init(_ number: Int64, _ response: HTTPResponse) {
        self.number = number
        status = response.status
        headers = response.headers.map { [$0.name, $0.value] }
        body = Data(response.body)
    }

    package var response: HTTPResponse {
        var response = HTTPResponse(status, type: "", "")
        response.headers = headers.map { ($0.first ?? "", $0.last ?? "") }
        response.body = [UInt8](body)
        return response
    }
}

/// A message as a line of JSON.
package enum GatewayLine {
    /// The maximum size of an answer, which may be a large page.
    package static let longestAnswer = 64 << 20
    /// The maximum size of a question, in base 64 and including its head.
    package static let longestQuestion = 1 << 20

    /// Including its line feed. Encoding our own values never fails.
    package static func encode(_ value: some Encodable) -> [UInt8] {
        [UInt8]((try? JSONEncoder().encode(value)) ?? Data("{}".utf8)) + [UInt8(ascii: "\n")]
    }

    /// Nil if the line is invalid.
    package static func decode<Value: Decodable>(_ type: Value.Type, _ line: some Sequence<UInt8>)
        -> Value?
    {
        // Without a byte after it, the bracket of the 513th level at the end of a text ends the process.
        try? JSONDecoder().decode(type, from: Data(line) + [UInt8(ascii: "\n")])
    }
}
