// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The rule of silent pushes", .timeLimit(.minutes(5)))
struct PushRuleTests {
    private static let now = WallTime(milliseconds: 1_000_000)

    private static func offer(
        _ change: (inout PushOffer) -> Void = { _ in }
    ) -> PushOffer {
        var offer = PushOffer(
            identifier: "a", payload: PushOffer.empty, payloadBytes: 33,
            aps: PushOffer.APS(isContentAvailable: true))
        change(&offer)
        return offer
    }

    private static func check(
        _ offer: PushOffer, kind: TaskKind = .push, refresh: RefreshSwitch = .available
    ) throws(PushRefusal) {
        try PushRule.check(
            offer, declaration: TaskDeclaration(identifier: "a", kind: kind),
            refreshSwitch: refresh, now: now)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var offer: PushOffer
        var refusal: PushRefusal?
        var reason: String?
        var status: Int?
        var testDescription: String { name }
    }

    private static let cases: [Case] = [
        Case(name: "a silent push is taken", offer: offer()),
        Case(name: "4096 bytes are taken", offer: offer { $0.payloadBytes = 4_096 }),
        Case(
            name: "4097 bytes are not", offer: offer { $0.payloadBytes = 4_097 },
            refusal: .payloadTooLarge(bytes: 4_097), reason: "PayloadTooLarge", status: 413),
        Case(
            name: "a payload that is kept is not longer than one that was sent may be",
            offer: offer { $0.payload = String(repeating: "x", count: 4_097) },
            refusal: .payloadTooLarge(bytes: 4_097), reason: "PayloadTooLarge", status: 413),
        Case(
            name: "an empty payload is not", offer: offer { $0.payloadBytes = 0 },
            refusal: .payloadEmpty, reason: "PayloadEmpty", status: 400),
        Case(
            name: "without aps it is not silent", offer: offer { $0.aps = nil },
            refusal: .notSilent, reason: "InvalidPushType", status: 400),
        Case(
            name: "without content-available it is not silent",
            offer: offer { $0.aps?.isContentAvailable = false }, refusal: .notSilent,
            reason: "InvalidPushType", status: 400),
        Case(
            name: "one that shows something is not silent",
            offer: offer { $0.aps?.shown = ["alert", "sound"] },
            refusal: .shows(["alert", "sound"]), reason: "InvalidPushType", status: 400),
        Case(
            name: "priority 10 is an error", offer: offer { $0.priority = 10 },
            refusal: .badPriority(10), reason: "BadPriority", status: 400),
        Case(
            name: "the default of Apple's is an error, too",
            offer: offer {
                $0.priority = 10
                $0.lacksPriority = true
            }, refusal: .missingPriority, reason: "BadPriority", status: 400),
        Case(
            name: "so is priority 1", offer: offer { $0.priority = 1 }, refusal: .badPriority(1),
            reason: "BadPriority", status: 400),
        Case(
            name: "a collapse id of 64 bytes is taken",
            offer: offer { $0.collapseID = String(repeating: "c", count: 64) }),
        Case(
            name: "bytes count, not characters",
            offer: offer { $0.collapseID = String(repeating: "é", count: 33) },
            refusal: .badCollapseID, reason: "BadCollapseId", status: 400),
        Case(
            name: "an empty collapse id is invalid", offer: offer { $0.collapseID = "" },
            refusal: .badCollapseID, reason: "BadCollapseId", status: 400),
        Case(
            name: "a date to come is taken",
            offer: offer { $0.expires = now.advanced(by: .milliseconds(1)) }),
        Case(
            name: "a date that has come is not", offer: offer { $0.expires = now },
            refusal: .badExpiration, reason: "BadExpirationDate", status: 400),
    ]

    @Test("a message is accepted, or refused with APNs' reason", arguments: cases)
    func table(_ one: Case) {
        var found: PushRefusal?
        do throws(PushRefusal) { try Self.check(one.offer) } catch { found = error }
        #expect(found == one.refusal)
        #expect(found?.reason == one.reason)
        #expect(found?.status == one.status)
        #expect(found?.message.isEmpty != true)
    }

    @Test("a message wakes tasks of kind push only", arguments: TaskKind.allCases)
    func kinds(_ kind: TaskKind) {
        var found: PushRefusal?
        do throws(PushRefusal) { try Self.check(Self.offer(), kind: kind) } catch { found = error }
        #expect(found == (kind == .push ? nil : .notPush(identifier: "a", kind: kind)))
    }

    @Test(
        "no message is delivered while background refresh is off", arguments: RefreshSwitch.allCases
    )
    func refresh(_ state: RefreshSwitch) {
        var found: PushRefusal?
        do throws(PushRefusal) {
            try Self.check(Self.offer(), refresh: state)
        } catch { found = error }
        #expect(found == (state == .available ? nil : .refreshSwitchedOff(state)))
        #expect(found?.status == (state == .available ? nil : 410))
    }

    @Test(
        "a forbidden submission gets APNs' reason; a temporary refusal may be retried",
        arguments: [
            (Refusal.noHandler(identifier: "a", nearest: nil), "BadDeviceToken", 400, false),
            (.notPermitted(identifier: "a", nearest: nil), "TopicDisallowed", 400, false),
            (
                .modeMissing(identifier: "a", kind: .push, mode: .remoteNotification),
                "TopicDisallowed", 400, false
            ),
            (.tooManyPending(kind: .push, limit: 10), "TooManyRequests", 429, true),
            (.alreadyRunning(identifier: "a", attempt: 1), "TooManyRequests", 429, true),
            (.unavailable, "ServiceUnavailable", 503, true),
        ])
    func refusals(_ refusal: Refusal, _ reason: String, _ status: Int, _ isPassing: Bool) {
        let push = PushRefusal.notAccepted(refusal)
        #expect(push.reason == reason)
        #expect(push.status == status)
        #expect(push.isPassing == isPassing)
        #expect(push.message == refusal.message)
    }

    @Test("an error of the payload is reported before other errors")
    func order() {
        let bad = Self.offer {
            $0.payloadBytes = 9_999
            $0.priority = 10
            $0.collapseID = ""
        }
        #expect(throws: PushRefusal.payloadTooLarge(bytes: 9_999)) { try Self.check(bad) }
    }
}
