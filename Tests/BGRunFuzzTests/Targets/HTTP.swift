// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP

@testable import BGRunPushes

extension FuzzTarget {
    /// The head and body of a request to the dashboard, and to the webhook in APNs' form, split into lines as
    /// libmicrohttpd does.
    static let http = FuzzTarget("http") { bytes in
        _ = GatewayLine.decode(GatewayQuestion.self, bytes)
        _ = GatewayLine.decode(GatewayAnswer.self, bytes)
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        var lines = parts[0].split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { return }
        let headers = lines.map { line in
            let name = line.prefix { $0 != ":" }
            return (name: String(name), value: String(line.dropFirst(name.count + 1)))
        }
        guard
            var request = try? HTTPHead.request(
                method: String(words[0]), target: String(words[1]), version: String(words[2]),
                headers: headers)
        else { return }
        if let length = try? HTTPHead.bodyLength(of: request) {
            try hold((0...HTTPLimits().body).contains(length), "\(length) bytes")
        }
        request.body = parts.count > 1 ? Array(parts[1].utf8) : []
        try hold(request.path.allSatisfy { $0 != ".." && $0 != "." && $0 != "" }, "\(request.path)")
        try hold(request.headers.count <= HTTPLimits().headers, "\(request.headers.count) headers")
        for part in request.path {
            let again = try HTTPHead.request(
                method: "GET", target: "/\(PercentCoding.encoded(part))", version: "HTTP/1.1",
                headers: [])
            try hold(again.path == [part], "\(part) is another part when it is encoded")
        }
        let question = GatewayLine.encode(GatewayQuestion(1, request))
        let same = GatewayLine.decode(GatewayQuestion.self, question)
        try hold(same?.request == request, "the server is asked something else")
        _ = request.form
        _ = request.cookie("session")
        _ = BearerGate.id(of: request)
        _ = try? APNsRequest(request, token: "secret").offer(app: "com.example.app")
    }
}
