// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Testing

@testable import BGRunHost

@Suite("Log lines about a task", .timeLimit(.minutes(5)))
struct PhraseTests {
    private static let request = TaskRequest(
        id: 1, identifier: "org.test.a", kind: .processing, submitted: WallTime(milliseconds: 1))

    private func level(_ record: Record) -> LogLine.Level { Phrase(record).level }

    @Test(
        "are information in normal operation, warnings when time is lost, errors at the end"
    )
    func levels() {
        let (name, request) = ("org.test.a", Self.request)
        for record: Record in [
            .scheduling(request), .cancelled(request), .retrying(request, after: .seconds(1)),
            .requeued(request, .interrupted), .skipped(request, blockedBy: 1),
            .ended(identifier: name, attempt: 1, .completed), .manifestLoaded,
            .shortageOver(.memory), .appOpened,
        ] { #expect(level(record) == .info, "\(record)") }
        for record: Record in [
            .expiring(identifier: name, attempt: 1, .time),
            .terminating(identifier: name, attempt: 1), .killing(identifier: name, attempt: 1),
            .stalling(identifier: name, attempt: 1, left: .seconds(1)),
            .missed(request, next: nil), .shortage(.memory), .appForceQuit,
        ] { #expect(level(record) == .warning, "\(record)") }
        for record: Record in [
            .ended(identifier: name, attempt: 1, .failed), .gaveUp(request, .failed),
            .refused(name, .unavailable),
        ] { #expect(level(record) == .error, "\(record)") }
    }

    @Test("name the limit that an attempt reached")
    func limited() {
        let ended = Record.ended(identifier: "org.test.a", attempt: 1, .limited(.processorTime))
        #expect(
            Phrase(ended, message: "so much").text
                == "Task ended with identifier org.test.a: limited: cpu-time: so much")
        let gaveUp = Phrase(.gaveUp(Self.request, .limited(.memory))).text
        #expect(gaveUp.contains("its last attempt was limited (memory), and no further"))
    }
}
