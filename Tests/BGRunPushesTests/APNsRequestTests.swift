// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP
import BGRunPolicy
import Testing

@testable import BGRunPushes

@Suite("Requests in the form of Apple's push service", .timeLimit(.minutes(10)))
struct APNsRequestTests {
    private static let token = "0123456789abcdef"

    private static func request(
        _ headers: [String: String] = [:], method: String = "POST",
        path: [String] = ["3", "device", "org.a"], body: String = PushOffer.empty
    ) -> HTTPRequest {
        var all = ["authorization": "bearer \(token)", "apns-priority": "5"]
        all.merge(headers) { $1 }
        return HTTPRequest(
            method: method, path: path, headers: all, body: Array(body.utf8))
    }

    private static func offer(_ request: HTTPRequest) throws(PushRefusal) -> PushOffer {
        try APNsRequest(request, token: token).offer(app: "org.app")
    }

    @Test("headers have the fields of an envelope")
    func whole() throws {
        let offer = try Self.offer(
            Self.request([
                "apns-topic": "org.app", "apns-push-type": "background", "apns-collapse-id": "x",
                "apns-expiration": "2000000000",
            ]))
        #expect(offer.identifier == "org.a")
        #expect(offer.collapseID == "x")
        #expect(offer.priority == 5 && !offer.lacksPriority)
        #expect(offer.expires == WallTime(milliseconds: 2_000_000_000_000))
        #expect(offer.aps == PushOffer.APS(isContentAvailable: true))
    }

    @Test("the default priority is 10, as with Apple, and an expiration of 0 means none")
    func defaults() throws {
        var request = Self.request(["apns-expiration": "0"])
        request.headers["apns-priority"] = nil
        let offer = try Self.offer(request)
        #expect(offer.priority == 10 && offer.lacksPriority)
        #expect(offer.expires == nil)
    }

    @Test(
        "an invalid request is refused with APNs' status and reason",
        arguments: [
            (request(["authorization": "bearer wrong"]), 403, "InvalidProviderToken"),
            (request(["authorization": "bearer \(token)0"]), 403, "InvalidProviderToken"),
            (request(["authorization": "basic \(token)"]), 403, "InvalidProviderToken"),
            (request(["authorization": ""], method: "GET", path: []), 403, "InvalidProviderToken"),
            (request(path: ["3", "device"]), 404, "BadPath"),
            (request(path: ["2", "device", "org.a"]), 404, "BadPath"),
            (request(path: ["3", "device", "org.a", "b"]), 404, "BadPath"),
            (request(method: "GET"), 405, "MethodNotAllowed"),
            (request(["apns-topic": "org.other"]), 400, "BadTopic"),
            (request(["apns-push-type": "alert"]), 400, "InvalidPushType"),
            (request(["apns-expiration": "soon"]), 400, "BadExpirationDate"),
            (request(["apns-expiration": "-1"]), 400, "BadExpirationDate"),
            (request(body: ""), 400, "PayloadEmpty"),
            (request(body: "no"), 400, "BadMessage"),
            (request(body: String(repeating: " ", count: 20_000)), 413, "PayloadTooLarge"),
        ])
    func refused(_ request: HTTPRequest, _ status: Int, _ reason: String) {
        var found: PushRefusal?
        do throws(PushRefusal) { _ = try Self.offer(request) } catch { found = error }
        #expect(found?.status == status)
        #expect(found?.reason == reason)
    }

    @Test("a priority that is not a number is invalid")
    func priority() throws {
        #expect(try Self.offer(Self.request(["apns-priority": "high"])).priority == -1)
    }

    @Test("the scheme of the token is case-insensitive")
    func scheme() throws {
        #expect(
            try Self.offer(Self.request(["authorization": "Bearer \(Self.token)"])).priority == 5)
    }

    @Test("only a UUID is repeated as apns-id")
    func id() {
        let id = "EC1BF194-B3B2-424A-89A9-5A918A6E6B5D"
        #expect(BearerGate.id(of: Self.request(["apns-id": id])) == id)
        #expect(BearerGate.id(of: Self.request(["apns-id": id + "\r\nx: y"])) == nil)
        #expect(BearerGate.id(of: Self.request(["apns-id": "7"])) == nil)
        #expect(BearerGate.id(of: Self.request()) == nil)
    }
}
