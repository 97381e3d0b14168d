// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHTTP
import BGRunPolicy

/// A request in the form of Apple's push service: `POST /3/device/IDENTIFIER`.
struct APNsRequest {
    let identifier: String
    private let headers: [String: String]
    private let body: [UInt8]

    /// Rejects a request with a wrong path; the token is checked first.
    init(_ request: HTTPRequest, token: String) throws(PushRefusal) {
        guard BearerGate.hasToken(request, token) else { throw .badToken }
        guard request.path.count == 3, request.path[0] == "3", request.path[1] == "device" else {
            throw .badPath
        }
        guard request.method == "POST" else { throw .badMethod }
        identifier = request.path[2]
        headers = request.headers
        body = request.body
    }

    /// The message. APNs: the default priority is 10.
    func offer(app: String) throws(PushRefusal) -> PushOffer {
        if let type = headers["apns-push-type"], type != "background" { throw .badPushType(type) }
        if let topic = headers["apns-topic"], topic != app { throw .badTopic(topic, app: app) }
        var offer = try PushEnvelope.payload(body, of: identifier)
        offer.priority = 10
        offer.lacksPriority = headers["apns-priority"] == nil
        if let text = headers["apns-priority"] { offer.priority = Int(text) ?? -1 }
        offer.collapseID = headers["apns-collapse-id"]
        // 0: APNs does not store it, which does not matter here, since it has arrived.
        if let text = headers["apns-expiration"], text != "0" {
            guard let seconds = Int64(text), (1...99_999_999_999).contains(seconds) else {
                throw .badExpiration
            }
            offer.expires = WallTime(milliseconds: seconds * 1_000)
        }
        return offer
    }
}
