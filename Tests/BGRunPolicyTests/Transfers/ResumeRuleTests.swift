// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The rule of resumed downloads", .timeLimit(.minutes(10)))
struct ResumeRuleTests {
    private static func head(_ status: Int, _ fields: KeyValuePairs<String, String> = [:])
        -> ResponseHead
    {
        ResponseHead(status: status, fields.map { TransferRequest.Header($0.key, $0.value) })
    }

    private static let part = ResumeRule.Question(offset: 100, validator: "\"a\"", total: 1_000)

    @Test(
        "each answer is used, or the download is requested again",
        arguments: [
            // The rest of the same file.
            (head(206, ["Content-Range": "bytes 100-999/1000"]), part, .append(total: 1_000)),
            (
                head(206, ["Content-Range": "bytes 100-999/1000", "ETag": "\"a\""]), part,
                .append(total: 1_000)
            ),
            (head(206, ["Content-Range": "bytes 100-499/*"]), part, .append(total: 1_000)),
            // A whole file, the same or another one.
            (head(200, ["Content-Length": "700"]), part, .replace(total: 700)),
            (head(200), part, .replace(total: nil)),
            (head(200, ["Content-Length": "700"]), .whole, .replace(total: 700)),
            (head(203), .whole, .replace(total: nil)),
            // A part that does not match the request.
            (head(206, ["Content-Range": "bytes 0-999/1000"]), part, .askAgain),
            (head(206, ["Content-Range": "bytes 101-999/1000"]), part, .askAgain),
            (head(206, ["Content-Range": "bytes 100-899/900"]), part, .askAgain),
            (head(206, ["Content-Range": "bytes 100-999/1000", "ETag": "\"b\""]), part, .askAgain),
            (
                head(206, ["Content-Range": "bytes 100-999/1000", "Last-Modified": "then"]),
                ResumeRule.Question(offset: 100, validator: "then"), .append(total: 1_000)
            ),
            (
                head(206, ["Content-Range": "bytes 100-999/1000", "Last-Modified": "now"]),
                ResumeRule.Question(offset: 100, validator: "then"), .askAgain
            ),
            (
                head(206, ["Content-Range": "bytes 100-999/1000", "Content-Length": "7"]), part,
                .askAgain
            ),
            (head(206, ["Content-Type": "multipart/byteranges"]), part, .askAgain),
            (head(206, ["Content-Range": "bytes x"]), part, .askAgain),
            // A part that was not requested.
            (head(206, ["Content-Range": "bytes 0-9/10"]), .whole, .replace(total: 10)),
            (head(206, ["Content-Range": "bytes 0-4/10"]), .whole, .refuse(.badAnswer)),
            (head(206), .whole, .refuse(.badAnswer)),
            // The file is already complete.
            (
                head(416, ["Content-Range": "bytes */100"]),
                ResumeRule.Question(offset: 100, validator: "\"a\""), .nothingMissing
            ),
            (head(416, ["Content-Range": "bytes */100"]), part, .askAgain),
            (head(416, ["Content-Range": "bytes */90"]), part, .askAgain),
            (head(416), part, .askAgain),
            (
                head(416, ["Content-Range": "bytes */100"]), ResumeRule.Question(offset: 100),
                .askAgain
            ),
            (head(416), .whole, .refuse(.status)),
            (head(304), .whole, .refuse(.badAnswer)),
            (head(404), part, .refuse(.status)),
            (head(503), .whole, .refuse(.status)),
        ] as [(ResponseHead, ResumeRule.Question, ResumeRule.Take)])
    func take(_ head: ResponseHead, _ question: ResumeRule.Question, _ take: ResumeRule.Take) {
        #expect(ResumeRule.take(head, for: question, isConditional: false) == take)
    }

    @Test("304 means an unchanged file if the request was conditional")
    func unchanged() {
        let take = ResumeRule.take(Self.head(304), for: .whole, isConditional: true)
        #expect(take == .unchanged)
    }

    @Test("a part is requested with Range and If-Range, a whole file without them")
    func fields() {
        #expect(
            Self.part.fields == [
                TransferRequest.Header("Range", "bytes=100-"),
                TransferRequest.Header("If-Range", "\"a\""),
            ])
        #expect(ResumeRule.Question.whole.fields.isEmpty)
    }

    @Test(
        "a version is known by a strong tag, or a date at least a second before the answer's",
        arguments: [
            (["ETag": "\"a\""], "\"a\""),
            (["ETag": "W/\"a\""], nil),
            (["ETag": "a"], nil),
            (["ETag": "\"a\"", "Accept-Ranges": "none"], nil),
            (
                [
                    "ETag": "W/\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                    "Date": "Sun, 06 Nov 1994 08:49:38 GMT",
                ], "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            (
                [
                    "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                    "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
                ], nil
            ),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            (
                [
                    "Last-Modified": "Sunday, 06-Nov-94 08:49:37 GMT",
                    "Date": "Mon Nov  7 08:49:37 1994",
                ], "Sunday, 06-Nov-94 08:49:37 GMT"
            ),
        ] as [(KeyValuePairs<String, String>, String?)])
    func validator(_ fields: KeyValuePairs<String, String>, _ validator: String?) {
        #expect(ResumeRule.validator(of: Self.head(200, fields)) == validator)
    }

    @Test("after a power cut only synced bytes count; after a kill all bytes count")
    func reliable() {
        var progress = TransferProgress()
        progress.boot = "this"
        progress.syncedBytes = 64
        #expect(ResumeRule.reliable(size: 100, of: progress, boot: "this") == 100)
        #expect(ResumeRule.reliable(size: 100, of: progress, boot: "next") == 64)
        #expect(ResumeRule.reliable(size: 10, of: progress, boot: "next") == 10)
    }

    @Test("without a validator the file is requested again, unless its digest is known")
    func question() {
        var progress = TransferProgress()
        progress.total = 1_000
        #expect(ResumeRule.question(having: 100, of: progress, hasDigest: false) == .whole)
        #expect(ResumeRule.question(having: 100, of: progress, hasDigest: true).offset == 100)
        progress.validator = "\"a\""
        #expect(ResumeRule.question(having: 100, of: progress, hasDigest: false) == Self.part)
        #expect(ResumeRule.question(having: 0, of: progress, hasDigest: true) == .whole)
    }

    @Test("a body that is too short is incomplete, one that is too long is invalid")
    func shortfall() {
        #expect(ResumeRule.shortfall(bytes: 5, total: 5) == nil)
        #expect(ResumeRule.shortfall(bytes: 5, total: nil) == nil)
        #expect(ResumeRule.shortfall(bytes: 4, total: 5) == .connectionLost)
        #expect(ResumeRule.shortfall(bytes: 6, total: 5) == .wrongLength)
    }

    @Test("no answer keeps bytes whose position the server did not state")
    func anyAnswer() {
        var random = SystemRandomNumberGenerator()
        let texts = [
            "bytes", "*", "/", "-", "0", "99", "100", "999", "1000", " ", "x", "\"a\"", "W/",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...7, using: &random)).map { _ in
                texts.randomElement(using: &random) ?? ""
            }.joined()
        }
        for _ in 0..<20_000 {
            let range = Bool.random() ? text() : "bytes 100-\(Int.random(in: 0...2_000))/\(text())"
            let head = Self.head(
                [200, 206, 416].randomElement(using: &random) ?? 200,
                ["Content-Range": range, "ETag": text(), "Content-Length": text()])
            guard
                case .append(let total) = ResumeRule.take(
                    head, for: Self.part, isConditional: false)
            else { continue }
            #expect(head.status == 206 && head.contentRange?.part?.lowerBound == 100, "\(head)")
            #expect(total == 1_000, "\(head)")
        }
    }
}
