// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunHost

@Suite("Steps that end an attempt", .timeLimit(.minutes(1)))
struct LadderStepTests {
    @Test("come in the order of the ladder, each once")
    func order() {
        let all: [LadderStep?] = [nil, .told, .terminated, .killed]
        #expect(all.filter { LadderStep.told.follows($0) } == [nil])
        #expect(all.filter { LadderStep.terminated.follows($0) } == [nil, .told])
        #expect(all.filter { LadderStep.killed.follows($0) } == [.terminated])
    }
}
