// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Foundation
import Testing

@Suite("Transfers in the worker", .timeLimit(.minutes(10)))
struct TransferTests {
    @Test("all fields of a request reach the host, and its id is returned")
    func create() async throws {
        let told = try await PlayedHost.run("create") { _ in
            HostMessage.Answer(status: 0, id: 41)
        }
        var request = WorkerMessage.TransferRequest(
            session: "org.test.session", url: "https://example.com/a")
        request.flags = 0xa
        request.method = "POST"
        request.headers = #"{"A":"b"}"#
        request.file = "to/a"
        request.sha256 = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
        request.description = "mine"
        request.resumeData = [0, 1]
        request.earliestDelayNanoseconds = 1
        request.requestTimeoutNanoseconds = 2
        request.resourceTimeoutNanoseconds = 3
        request.expectedSend = 4
        request.expectedReceive = 5
        request.rate = 6
        request.connections = 7
        #expect(told.calls == [.transfer(.create(request))])
        #expect(told.lines == ["create 0, id 41"])
    }

    @Test("an id is set only if the transfer was stored")
    func refused() async throws {
        let told = try await PlayedHost.run("create") { _ in
            HostMessage.Answer(status: -7, id: 41)
        }
        #expect(told.lines == ["create -7, id 0"])
    }

    @Test("a malformed or too long request is refused without the host, and nothing crashes")
    func misuse() async throws {
        let told = try await PlayedHost.run("misuse")
        #expect(told.calls.isEmpty)
        #expect(
            told.lines == [
                "NULL request -1, NULL id -1, NULL task -2", "short struct -1", "no session -1",
                "empty session -1", "no URL -1", "unknown flag -1", "temporary -1",
                "upload of nothing -1", "negative delay -1", "negative rate -1", "short sum -1",
                "no data -1", "long session -4", "long URL -4", "long headers -4", "much data -4",
                "NULL receive -1, NULL visit -1, NULL finished -1", "long session -4 -4",
                "NULL messages -1, unknown result -1",
            ])
    }

    @Test("after the end of the attempt every call is refused without the host")
    func late() async throws {
        let told = try await PlayedHost.run("keep", kind: 3)
        #expect(told.calls.isEmpty)
        #expect(
            told.lines == [
                "create -2, resume -2, suspend -2, cancel -2, resumable -2, visit -2, events -2, "
                    + "messages -2, complete -2"
            ])
    }

    @Test("resume data is returned if there is any")
    func change() async throws {
        let told = try await PlayedHost.run("change") { call in
            switch call {
            case .transfer(.cancel(id: 99)): HostMessage.Answer(status: -5)
            case .transfer(.cancelResumable(id: 4)):
                HostMessage.Answer(status: 0, data: Array("half".utf8))
            default: HostMessage.Answer(status: 0)
            }
        }
        #expect(
            told.lines == [
                "suspend 0, resume 0, cancel 0, unknown -5", "data half", "resumable 0",
                "nothing to resume 0",
            ])
    }

    @Test(
        "every transfer of a list has all its fields, and the callback may call bgrun")
    func list() async throws {
        var full = HostMessage.Transfer(
            id: 8, state: 3, session: "s", url: "http://a/b", method: "GET")
        full.flags = 0x21
        full.error = -1011
        full.errorText = "e"
        full.status = 404
        full.description = "d"
        full.file = "/f"
        full.responseURL = "http://c"
        full.responseHeaders = "{}"
        full.received = 1
        full.expectedReceive = 2
        full.sent = 3
        full.expectedSend = 4
        full.earliestUnixNanoseconds = 5
        let plain = HostMessage.Transfer(
            id: 9, state: 0, session: "t", url: "http://x", method: "PUT")
        for (parameters, session) in [("{}", nil), (#"{"a":1}"#, "one")] {
            let told = try await PlayedHost.run("list", parameters: parameters) { call in
                guard case .transfer(.list) = call else { return HostMessage.Answer(status: 0) }
                return HostMessage.Answer(status: 0, transfers: [full, plain])
            }
            #expect(
                told.calls == [
                    .transfer(.list(session: session)), .transfer(.resume(id: 8)),
                    .transfer(.resume(id: 9)),
                ])
            #expect(
                told.lines == [
                    "seen 8 3 0x21 -1011 404 s http://a/b GET d /f http://c {} e 1/2 3/4 5",
                    "seen 9 0 0 0 0 t http://x PUT - - - - - 0/-1 0/-1 0", "visit 0",
                ])
        }
    }
}
