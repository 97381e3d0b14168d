// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy
import Testing

@testable import BGRunPushes

@Suite("Envelopes of pushes", .timeLimit(.minutes(10)))
struct PushEnvelopeTests {
    private static let sent = WallTime(milliseconds: 1_000)

    private static func read(
        _ text: String, task: String? = nil
    ) throws(PushRefusal) -> PushOffer {
        try PushEnvelope.read(Array(text.utf8), task: task, sent: sent)
    }

    @Test("an envelope has all fields of a message")
    func whole() throws {
        let offer = try Self.read(
            """
            {"identifier": "org.a", "collapse_id": "x", "priority": 10, "expires": "1h30m",
             "payload": {"b": [1, "/"], "aps": {"content-available": 1, "badge": 3, "alert": "!"}}}
            """)
        #expect(offer.identifier == "org.a")
        #expect(offer.collapseID == "x")
        #expect(offer.priority == 10)
        #expect(offer.expires == WallTime(milliseconds: 1_000 + 5_400_000))
        #expect(offer.aps == PushOffer.APS(isContentAvailable: true, shown: ["alert", "badge"]))
        #expect(
            offer.payload
                == #"{"aps":{"alert":"!","badge":3,"content-available":1},"b":[1,"/"]}"#)
        #expect(offer.payloadBytes == offer.payload.utf8.count)
    }

    @Test("missing fields of an envelope are those of a silent push")
    func short() throws {
        let offer = try Self.read(#"{"payload": {"aps": {"content-available": 1}}}"#, task: "org.t")
        #expect(
            offer
                == PushOffer(
                    identifier: "org.t", payload: PushOffer.empty,
                    payloadBytes: PushOffer.empty.utf8.count,
                    aps: PushOffer.APS(isContentAvailable: true)))
    }

    @Test("an envelope's identifier replaces that of its source")
    func identifier() throws {
        let text = #"{"identifier": "org.a", "payload": {"aps": {}}}"#
        #expect(try Self.read(text, task: "org.t").identifier == "org.a")
    }

    @Test("a payload alone is accepted unchanged if the source names the task")
    func bare() throws {
        let text = #"{"aps":  {"content-available": 1},  "identifier": 7}"#
        let offer = try Self.read(text, task: "org.t")
        #expect(offer.identifier == "org.t")
        #expect(offer.payloadBytes == text.utf8.count)
        #expect(throws: PushRefusal.noIdentifier) { try Self.read(text) }
    }

    @Test(
        "an invalid message is refused with APNs' reason",
        arguments: [
            ("", "PayloadEmpty"), (" \n\t", "PayloadEmpty"), ("{}", "PayloadEmpty"),
            ("[]", "BadMessage"), ("7", "BadMessage"), ("{", "BadMessage"), ("\u{0}", "BadMessage"),
            (#"{"identifier": "a", "payload": 7}"#, "BadMessage"),
            (#"{"identifier": 7, "payload": {}}"#, "BadMessage"),
            (#"{"identifier": "a", "payload": {}, "priority": "5"}"#, "BadMessage"),
            (#"{"identifier": "a", "payload": {}, "collapse_id": 5}"#, "BadMessage"),
            (#"{"identifier": "a", "payload": {}, "expires": 5}"#, "BadMessage"),
            (#"{"identifier": "a", "payload": {}, "expires": "soon"}"#, "BadMessage"),
            (#"{"identifier": "a", "payload": {}, "extra": 1}"#, "BadMessage"),
            (#"{"identifier": "a"}"#, "PayloadEmpty"),
            (#"{"payload": {"aps": {}}}"#, "MissingDeviceToken"),
        ])
    func refused(_ text: String, _ reason: String) {
        var found: PushRefusal?
        do throws(PushRefusal) { _ = try Self.read(text) } catch { found = error }
        #expect(found?.reason == reason)
    }

    @Test(
        "content-available is 1, no other value",
        arguments: [
            ("1", true), ("0", false), ("2", false), ("\"1\"", false), ("null", false),
        ])
    func contentAvailable(_ value: String, _ isAvailable: Bool) throws {
        let offer = try Self.read("{\"aps\": {\"content-available\": \(value)}}", task: "a")
        #expect(offer.aps?.isContentAvailable == isAvailable)
    }

    @Test("deeply nested or long input is refused without a crash")
    func hostile() {
        let deep = String(repeating: "[", count: 8_000) + String(repeating: "]", count: 8_000)
        let long = "{\"aps\": {\"x\": \"" + String(repeating: "x", count: 20_000) + "\"}}"
        for text in ["{\"payload\": \(deep)}", long] {
            var found: PushRefusal?
            do throws(PushRefusal) { _ = try Self.read(text, task: "a") } catch { found = error }
            #expect(found != nil)
        }
    }

    @Test("the payload of a command is silent unless it has `aps`")
    func command() throws {
        let offer = try PushEnvelope.payload(
            Array("{\"x\": 1}".utf8), of: "a", isSilentByDefault: true)
        #expect(offer.payload == #"{"aps":{"content-available":1},"x":1}"#)
        let other = try PushEnvelope.payload(
            Array("{\"aps\": {}}".utf8), of: "a", isSilentByDefault: true)
        #expect(other.aps?.isContentAvailable == false)
    }

    @Test("an answer is one line of JSON")
    func answer() {
        let request = TaskRequest(
            id: 12, identifier: "a", kind: .push, submitted: WallTime(milliseconds: 1))
        let receipt = PushReceipt(id: 7, identifier: "a", request: request, held: 2)
        #expect(
            PushAnswer(.success(receipt)).sortedJSON
                == #"{"held":2,"id":7,"identifier":"a","request":12}"#)
        #expect(
            PushAnswer(.failure(.badPriority(10))).sortedJSON
                == #"{"message":"priority 10 is not for silent pushes; send 5","reason":"BadPriority"}"#
        )
        #expect(PushAnswer(.failure(.unavailable)).retry == true)
    }
}
