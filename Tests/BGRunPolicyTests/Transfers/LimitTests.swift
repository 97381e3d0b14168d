// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Limits of the influence of a server", .timeLimit(.minutes(5)))
struct LimitTests {
    private static func head(_ status: Int, lengths: String...) -> ResponseHead {
        ResponseHead(status: status, lengths.map { .init("Content-Length", $0) })
    }

    @Test(
        "an impossible length makes the answer invalid",
        arguments: [
            ("9223372036854775807", Int64.max), ("0", 0), (" 7 ", 7), ("7, 7", 7),
            ("9223372036854775808", nil), ("18446744073709551617", nil), ("-1", nil), ("+1", nil),
            ("", nil), ("x", nil), ("7, 8", nil), ("7,", nil),
        ] as [(String, Int64?)])
    func length(_ text: String, _ length: Int64?) {
        let head = Self.head(200, lengths: text)
        #expect(head.contentLength == length)
        #expect(head.hasInvalidLength == (length == nil))
        let take = ResumeRule.take(head, for: .whole, isConditional: false)
        #expect(take == (length == nil ? .refuse(.badAnswer) : .replace(total: length)))
    }

    @Test("two different lengths are invalid, two equal ones are one, and none is permitted")
    func lengths() {
        #expect(Self.head(200, lengths: "1", "2").hasInvalidLength)
        #expect(Self.head(200, lengths: "1", "1").contentLength == 1)
        #expect(!Self.head(200).hasInvalidLength && Self.head(200).contentLength == nil)
    }

    @Test(
        "the body of a failure is the file if any status is accepted", arguments: [404, 304, 503])
    func anyStatus(_ status: Int) {
        let head = Self.head(status, lengths: "9")
        let whole = ResumeRule.Question.whole
        #expect(
            ResumeRule.take(head, for: whole, isConditional: false, acceptsAnyStatus: true)
                == .replace(total: 9))
        #expect(
            ResumeRule.take(head, for: whole, isConditional: false)
                == .refuse(status == 304 ? .badAnswer : .status))
    }

    @Test("an invalid answer to a range is requested again, whatever status is accepted")
    func rangeAndAnyStatus() {
        let part = ResumeRule.Question(offset: 100, validator: "\"a\"", total: 1_000)
        #expect(
            ResumeRule.take(Self.head(416), for: part, isConditional: false, acceptsAnyStatus: true)
                == .askAgain)
    }

    @Test("a download has at most the permitted length")
    func size() {
        var request = TransferRequest(session: "s", direction: .download, url: "http://h/")
        let policy = TransferPolicy(maxSize: 100)
        #expect(SizeRule.limit(request, policy) == 100)
        request.maxSize = 7
        #expect(SizeRule.limit(request, policy) == 7)
        #expect(!SizeRule.isTooLarge(bytes: 7, total: 7, limit: 7))
        #expect(SizeRule.isTooLarge(bytes: 8, total: nil, limit: 7))
        #expect(SizeRule.isTooLarge(bytes: 0, total: 8, limit: 7))
        #expect(!SizeRule.isTooLarge(bytes: 0, total: nil, limit: 7))
    }

    @Test("a file system with invalid numbers has no space")
    func space() {
        #expect(!SpaceRule.hasSpace(for: nil, free: .min, capacity: .max))
        #expect(SpaceRule.hasSpace(for: .max - (64 << 20), free: .max, capacity: .max))
        #expect(!SpaceRule.hasSpace(for: .max, free: .max, capacity: .max))
    }

    @Test(
        "a redirection does not pass on a password",
        arguments: [
            ("http://user:secret@h/a@b?c@d", "http://h/a@b?c@d"), ("https://u@h", "https://h"),
            ("http://a@b@h:1/", "http://h:1/"), ("http://h/@x", "http://h/@x"),
            ("http://h#a@b", "http://h#a@b"), ("nothing", "nothing"),
            ("http://h?x=a@b", "http://h?x=a@b"),
        ])
    func user(_ url: String, _ plain: String) {
        #expect(WebAddress.withoutUser(url) == plain)
    }

    @Test("a policy from another version is completed with default numbers")
    func policy() throws {
        #expect(TransferPolicy().maxSize == 64 << 30)
        #expect(TransferPolicy(Policy.apple).maxSize == Int64(Policy.apple.transferSize))
    }
}

@Suite("The duration of a transfer", .timeLimit(.minutes(5)))
struct ActiveTimeTests {
    @Test("time is counted within a boot, and between services of the same boot")
    func sameBoot() {
        var time = ActiveTime()
        time.count(to: 1_000, boot: "a")
        #expect(time.spent == .zero, "it begins here")
        time.count(to: 1_500, boot: "a")
        #expect(time.spent == Interval(nanoseconds: 500))
        var again = ActiveTime(spent: time.spent, counted: time.counted, boot: time.boot)
        again.count(to: 2_500, boot: "a")
        #expect(again.spent == Interval(nanoseconds: 1_500))
        #expect(again.deadline(Interval(nanoseconds: 2_000)) == 3_000)
    }

    @Test("time while the machine was off does not count")
    func otherBoot() {
        var time = ActiveTime(spent: .seconds(3), counted: 9_000_000_000, boot: "a")
        time.count(to: 50_000_000_000, boot: "b")
        #expect(time.spent == .seconds(3) && time.boot == "b")
        #expect(time.deadline(.seconds(10)) == 57_000_000_000)
    }

    @Test("a clock that runs backwards and invalid numbers change nothing")
    func extremes() {
        var time = ActiveTime(spent: .seconds(3), counted: 9, boot: "a")
        time.count(to: 8, boot: "a")
        #expect(time.spent == .seconds(3) && time.counted == 8)
        time = ActiveTime(spent: Interval(nanoseconds: .max), counted: .min, boot: "a")
        time.count(to: .max, boot: "a")
        #expect(time.spent == Interval(nanoseconds: .max))
        #expect(time.deadline(.seconds(1)) == .max)
        #expect(ActiveTime(spent: .seconds(-1)).spent == .zero)
        #expect(ActiveTime(spent: .seconds(5)).deadline(.seconds(1)) == 0, "it is over")
    }
}
