// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Testing

@testable import BGRunSupervisor

@Suite("The outcome of an attempt", .timeLimit(.minutes(10)))
struct VerdictTests {
    enum Step: Sendable {
        case begin(String?)
        /// The end of the oldest assertion.
        case endFirst
        case report(Bool)
        case told(StopReason)
        /// It waits for this resource.
        case missing(Resource)
        case refused
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var rule: String
        var steps: [Step]
        var death: RunningWork.Death?
        var outcome: Outcome
        var message: String?
        var testDescription: String { rule }
    }

    static let cases: [Case] = [
        Case(
            rule: "a report in time is the outcome", steps: [.report(true)], outcome: .completed,
            message: "said"),
        Case(
            rule: "a report in time explains a later death", steps: [.report(true)],
            death: .signalled(11), outcome: .completed, message: "said"),
        Case(
            rule: "a revocation explains a later report",
            steps: [.told(.powerLost), .report(true)],
            outcome: .expired(.powerLost, reported: true), message: "said"),
        Case(
            rule: "an assertion does not outweigh a revocation before the report",
            steps: [.begin("a"), .told(.powerLost), .report(true)],
            outcome: .expired(.powerLost, reported: true), message: "said"),
        Case(
            rule: "an assertion without a report is not a report", steps: [.begin("a")],
            death: .signalled(11), outcome: .crashed(signal: 11)),
        Case(
            rule: "a worker that ends because its channel was closed is the fault of the handler",
            steps: [], death: .exited(WorkerMessage.lostChannelExitCode), outcome: .failed,
            message: "the handler closed its channel to bgrun"),
        Case(
            rule: "another end without a report is the outcome", steps: [], death: .exited(7),
            outcome: .exited(code: 7)),
        Case(
            rule: "work after a report is not notified of a revocation without an assertion",
            steps: [.report(true), .told(.time)], outcome: .completed, message: "said"),
        Case(
            rule: "an assertion that was ended leaves no trace",
            steps: [.begin("a"), .report(true), .endFirst], outcome: .completed, message: "said"),
        Case(
            rule: "an assertion whose time ran out is named, and the outcome is what was reported",
            steps: [.begin("a"), .report(true), .told(.time), .endFirst], outcome: .completed,
            message: "said; the assertion \"a\" was not ended in time"),
        Case(
            rule: "a failure that was reported stays one",
            steps: [.begin("a"), .report(false), .told(.time)], death: .signalled(9),
            outcome: .failed, message: "said; the assertion \"a\" was not ended in time"),
        Case(
            rule: "an assertion that was cut short is named with the reason",
            steps: [.begin(nil), .report(true), .told(.shutdown)], outcome: .completed,
            message: "said; the assertion without a name was cut short (shutdown)"),
        Case(
            rule: "several are counted, and those that were ended are not among them",
            steps: [
                .begin("a"), .begin("b"), .report(true), .endFirst, .begin("c"), .told(.powerLost),
            ], outcome: .completed,
            message: "said; 2 assertions were cut short (power-lost), the first \"b\""),
        Case(
            rule: "time that runs out after a wait for a resource is not a failure",
            steps: [.missing(.processes), .told(.time), .report(false)],
            outcome: .expired(.processShortage, reported: false), message: "said"),
        Case(
            rule: "a stall after a wait for a resource is not a failure",
            steps: [.missing(.memory), .told(.stalled)], death: .signalled(9),
            outcome: .expired(.memoryShortage, reported: nil)),
        Case(
            rule: "another revocation is the reason also after a wait for a resource",
            steps: [.missing(.processes), .told(.cancelled), .report(false)],
            outcome: .expired(.cancelled, reported: false), message: "said"),
        Case(
            rule: "a library that cannot be used after a wait for a resource is not a refusal",
            steps: [.missing(.descriptors), .told(.time), .refused],
            outcome: .expired(.descriptorShortage, reported: nil), message: "refused"),
        Case(
            rule: "another revocation explains a refusal after a wait for a resource",
            steps: [.missing(.descriptors), .told(.shutdown), .refused],
            outcome: .expired(.shutdown, reported: nil), message: "refused"),
        Case(
            rule: "a wait for a resource does not explain a report without a revocation",
            steps: [.missing(.processes), .report(false)], outcome: .failed, message: "said"),
    ]

    @Test("is decided by the revocation or the report, whichever comes first", arguments: cases)
    func verdict(_ expected: Case) {
        var work = RunningWork(attempt: 1)
        for (number, step) in expected.steps.enumerated() {
            switch step {
            case .begin(let name):
                work.assertions.append(RunningWork.Assertion(id: Int64(number), name: name))
            case .endFirst: work.assertions.removeFirst()
            case .report(let isSuccess):
                work.report = RunningWork.Report(isSuccess: isSuccess, message: "said")
            case .told(let reason): work.tell(reason)
            case .missing(let resource): work.signs.missing = resource
            case .refused: work.signs.refusal = "refused"
            }
        }
        let end = work.end(expected.death, hasLoaded: true)
        #expect(end.outcome == expected.outcome)
        #expect(end.message == expected.message)
    }

    @Test(
        "the processor time is that since the launch, without that of earlier attempts",
        arguments: [(150, 50), (100, 0), (90, 0), (nil, nil)] as [(Int64?, Int64?)])
    func processorTime(_ ofWorker: Int64?, _ ofAttempt: Int64?) {
        let work = RunningWork(attempt: 1, processorBefore: 100)
        let end = work.end(nil, hasLoaded: true, processor: ofWorker)
        #expect(end.processorMilliseconds == ofAttempt)
    }

    @Test("a worker is not kept after a revocation of time that an assertion held open")
    func isTold() {
        var work = RunningWork(attempt: 1)
        work.report = RunningWork.Report(isSuccess: true, message: nil)
        work.tell(.time)
        #expect(!work.isTold)
        work.assertions = [RunningWork.Assertion(id: 1, name: nil)]
        work.tell(.time)
        #expect(work.isTold)
    }
}
