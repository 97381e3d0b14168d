// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@testable import BGRunWorker

@Suite("What a worker sends", .timeLimit(.minutes(5)))
struct BoundaryTests {
    @Test("fits in a frame, regardless of the length of its texts")
    func texts() {
        let long = String(repeating: "\u{e9}", count: FrameBuffer.largestFrame)
        let text = String(repeating: "\u{e9}", count: 1 << 19)
        #expect(WorkerMessage.refused(long).cut == .refused(text))
        #expect(
            WorkerMessage.log(attempt: 1, level: 2, text: long).cut
                == .log(attempt: 1, level: 2, text: text))
        #expect(
            WorkerMessage.completed(
                attempt: 1, success: false, message: long, enteredMonotonic: 3
            ).cut
                == .completed(attempt: 1, success: false, message: text, enteredMonotonic: 3))
        #expect(WorkerMessage.refused(text).cut == .refused(text))
        let registration = Registration(identifier: String(repeating: "a", count: 256), kind: 1)
        let loaded = WorkerMessage.Loaded(
            name: registration.identifier ?? "", version: registration.identifier, abiVersion: 1,
            flags: 0,
            handlers: Array(
                repeating: String(repeating: "a", count: 128),
                count: WorkerMessage.Loaded.mostHandlers),
            registrations: Array(
                repeating: registration, count: WorkerMessage.Loaded.mostRegistrations))
        #expect(WorkerMessage.loaded(loaded).cut.frame.count < FrameBuffer.largestFrame)
    }

    @Test("never has the number of no attempt, or that of a waiting call")
    func numbers() async {
        await #expect(processExitsWith: .failure) {
            AttemptController().begin(
                CurrentAttempt(
                    id: 0, expire: nil, userData: nil, keepsGrace: false, isPush: false,
                    device: .unknown, entered: 0, assertionLimit: 0, timeEnds: .max))
        }
        await #expect(processExitsWith: .failure) {
            var state = AttemptController.State()
            state.answers[1] = HostMessage.Answer(status: 0)
            _ = AttemptController.beginCall(&state)
        }
    }
}
