// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP

@testable import BGRunPushes

extension FuzzTarget {
    /// A request to the dashboard, and to the webhook in APNs' form. The first byte is the size of the
    /// chunks in which it comes.
    static let http = FuzzTarget("http") { bytes in
        guard let size = bytes.first.map({ Int($0) + 1 }) else { return }
        let stream = Array(bytes.dropFirst())
        let whole = Result { try HTTPParser.parse(stream) }
        let parts = Result {
            var reader = HTTPReader()
            var request: HTTPRequest?
            for start in stride(from: 0, to: stream.count, by: size) {
                request = try reader.read(stream[start..<min(stream.count, start + size)])
            }
            return request
        }
        switch (whole, parts) {
        case (.success(let whole), .success(let parts)):
            try hold(whole == parts, "the request depends on the chunks")
        case (.failure, .failure): break
        case (.success, .failure(let error)): throw Violation("refused in chunks only: \(error)")
        case (.failure(let error), .success): throw Violation("refused as a whole only: \(error)")
        }
        guard let request = try? whole.get() else { return }
        try hold(request.path.allSatisfy { $0 != ".." && $0 != "." && $0 != "" }, "\(request.path)")
        try hold(request.headers.count <= HTTPLimits().headers, "\(request.headers.count) headers")
        for part in request.path {
            let again = try HTTPParser.parse(
                Array("GET /\(PercentCoding.encoded(part)) HTTP/1.1\r\n\r\n".utf8))
            try hold(again?.path == [part], "\(part) is another part when it is encoded")
        }
        _ = request.form
        _ = request.cookie("session")
        _ = APNsRequest.id(of: request)
        _ = try? APNsRequest(request, token: "secret").offer(app: "com.example.app")
    }
}
