// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Pushes in the worker", .timeLimit(.minutes(10)))
struct PushTests {
    @Test("every held message is listed in the host's order, in several parts if necessary")
    func messages() async throws {
        let told = try await PlayedHost.run("push", kind: 3, parameters: "{0}") { call in
            guard call == .pushes(.messages) else { return HostMessage.Answer(status: 0) }
            return HostMessage.Answer(
                status: 0,
                pushes: [
                    HostMessage.Push(
                        payload: #"{"n":1}"#, collapseID: nil, priority: 5,
                        receivedUnixNanoseconds: 7),
                    HostMessage.Push(
                        payload: #"{"n":2}"#, collapseID: "c", priority: 1,
                        receivedUnixNanoseconds: 8),
                ])
        }
        #expect(
            told.lines.prefix(3) == [
                #"push 5 {"n":1} - 7"#, #"push 1 {"n":2} c 8"#, "messages 0, 2 of them",
            ])
    }

    @Test(
        "Apple: a result counts once; new data and no data are success, failed is not",
        arguments: [(0, true), (1, true), (2, false)] as [(UInt8, Bool)])
    func result(_ result: UInt8, _ isSuccess: Bool) async throws {
        let told = try await PlayedHost.run("push", kind: 3, parameters: "{\(result)}")
        #expect(told.lines.suffix(2) == ["complete 0", "again -2 -2"])
        #expect(told.isSuccess == isSuccess)
        #expect(
            told.order == [
                "\(WorkerMessage.Call.pushes(.messages))",
                "\(WorkerMessage.Call.pushes(.result(result)))", "completed",
            ])
    }

    @Test("a host that cannot store the result receives success")
    func unavailable() async throws {
        let told = try await PlayedHost.run("push", kind: 3, parameters: "{1}") { _ in
            HostMessage.Answer(status: -6)
        }
        #expect(told.lines.suffix(2) == ["complete 0", "again -2 -2"])
        #expect(told.isSuccess == true)
    }

    @Test("an attempt of another kind cannot report a result of a push")
    func otherKind() async throws {
        let told = try await PlayedHost.run("push", kind: 2, parameters: "{0}")
        #expect(told.lines == ["messages 0, 0 of them", "complete -2"])
        #expect(told.calls.isEmpty)
        #expect(told.isSuccess == true)
    }
}
