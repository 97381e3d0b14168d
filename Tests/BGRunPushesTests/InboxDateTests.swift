// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc
import Testing

@testable import BGRunPushes

@Suite("The date of a file in the inbox", .timeLimit(.minutes(5)))
struct InboxDateTests {
    @Test("the age of a file is exact or the largest, however far its date is from the clock")
    func ages() {
        let far = timespec(tv_sec: 285_000_000 * 365 * 86_400, tv_nsec: 0)
        let near = timespec(tv_sec: 1_000_000, tv_nsec: 2_000_000)
        let early = timespec(tv_sec: -far.tv_sec, tv_nsec: 0)
        #expect(InboxDirectory.date(near, at: far).age == .max - 2_000_000)
        #expect(InboxDirectory.date(near, at: far).written.milliseconds == 1_000_000_002)
        #expect(InboxDirectory.date(far, at: near).age == 2_000_000)
        #expect(InboxDirectory.date(near, at: early).age == 0)
        let later = timespec(tv_sec: 1_000_001, tv_nsec: 0)
        #expect(InboxDirectory.date(near, at: later).age == 998_000_000)
    }
}
