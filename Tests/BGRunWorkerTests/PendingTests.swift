// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Pending requests in the worker", .timeLimit(.minutes(10)))
struct PendingTests {
    @Test("are in identifier order, with the newest copy of a replaced one")
    func order() async throws {
        let told = try await PlayedHost.run("pending") { call in
            guard call == .pending else { return HostMessage.Answer(status: 0) }
            let copies = [("b", "1"), ("c", "2"), ("a", "3"), ("b", "4"), ("b", "5"), ("d", nil)]
            return HostMessage.Answer(
                status: 0,
                pending: copies.map {
                    HostMessage.Pending(
                        identifier: $0.0, kind: 2, earliestUnixNanoseconds: 0, parameters: $0.1,
                        annotations: $0.1 == "5" ? "tag:x tag:y" : nil)
                })
        }
        #expect(told.lines == ["a 3", "b 5 x y", "c 2", "d -", "pending 0"])
    }
}
