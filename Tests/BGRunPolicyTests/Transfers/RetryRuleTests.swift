// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The rule of retries", .timeLimit(.minutes(10)))
struct RetryRuleTests {
    private static let now = WallTime(milliseconds: 784_111_777_000)  // 06 Nov 1994 08:49:37

    private static func verdict(
        _ failure: TransferFailure, status: Int? = nil, after: String? = nil, failures: Int = 1,
        attempts: Int? = nil, network: Reading = .yes
    ) -> TransferRetryRule.Decision {
        TransferRetryRule.verdict(
            on: failure, status: status, retryAfter: after, failures: failures,
            retry: TransferRequest.Retry(from: .seconds(10), to: .hours(5), attempts: attempts),
            network: network, at: now)
    }

    private static func seconds(_ count: Int64) -> TransferRetryRule.Decision {
        .retry(at: now.advanced(by: .seconds(count)))
    }

    @Test("the pause doubles from 10 s up to 5 h")
    func backoff() {
        let pauses = (1...13).map { Self.verdict(.connectionLost, failures: $0) }
        let expected: [Int64] = [
            10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 18_000, 18_000,
        ]
        #expect(pauses == expected.map(Self.seconds))
    }

    @Test(
        "temporary failures are retried, permanent ones are not",
        arguments: [408, 425, 429, 500, 502, 503, 504], [400, 401, 403, 404, 410, 413, 501, 505])
    func statuses(_ passing: Int, _ final: Int) {
        #expect(Self.verdict(.status, status: passing) == Self.seconds(10))
        #expect(Self.verdict(.status, status: final) == .fail)
    }

    @Test(
        "Retry-After is respected for up to a day",
        arguments: [
            ("120", 120), ("5", 10), ("99999999", 86_400), ("-3", 10), ("soon", 10),
            ("Sun, 06 Nov 1994 08:51:37 GMT", 120), ("Sunday, 06-Nov-94 08:51:37 GMT", 120),
            ("Sun Nov  6 08:51:37 1994", 120), ("Sun, 06 Nov 1994 08:00:00 GMT", 10),
            ("Sun, 06 Nov 2094 08:51:37 GMT", 86_400), ("Sun, 06 Foo 1994 08:51:37 GMT", 10),
            ("9223372036854775807", 86_400), ("1000000000000000000000000000000", 10),
        ])
    func retryAfter(_ text: String, _ seconds: Int64) {
        #expect(Self.verdict(.status, status: 503, after: text) == Self.seconds(seconds))
    }

    @Test("without a network its errors are not failures")
    func offline() {
        let date = Self.now.advanced(by: .seconds(10))
        #expect(
            Self.verdict(.cannotFindHost, failures: 99, attempts: 3, network: .no)
                == .waitForNetwork(at: date))
        #expect(Self.verdict(.cannotConnect, network: .unknown) == Self.seconds(10))
        #expect(Self.verdict(.untrustedServer, network: .no) == .fail)
    }

    @Test("tries are counted, except those without disk space")
    func attempts() {
        #expect(Self.verdict(.timedOut, failures: 2, attempts: 3) == Self.seconds(20))
        #expect(Self.verdict(.timedOut, failures: 3, attempts: 3) == .fail)
        #expect(Self.verdict(.noSpace, failures: 99, attempts: 3) == Self.seconds(30))
    }

    @Test(
        "errors of the request, the file or the server are not retried",
        arguments: [
            .badURL, .tooManyRedirects, .untrustedServer, .clientCertificate, .badAnswer,
            .wrongDigest, .wrongLength, .file, .credentials,
        ] as [TransferFailure])
    func final(_ failure: TransferFailure) {
        #expect(Self.verdict(failure) == .fail)
    }
}
