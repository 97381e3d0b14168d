// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Messages about transfers and pushes", .timeLimit(.minutes(10)))
struct TransferWireTests {
    private static let request: WorkerMessage.TransferRequest = {
        var request = WorkerMessage.TransferRequest(
            session: "com.example.photos.catalog", url: "https://example.com/catalog.db")
        request.flags = 0x3
        request.method = "POST"
        request.headers = #"{"Accept":"*/*"}"#
        request.file = "./catalog.db"
        request.sha256 = String(repeating: "9f", count: 32)
        request.description = "Katalog, größer"
        request.resumeData = [0, 255, 7]
        request.earliestDelayNanoseconds = 1
        request.requestTimeoutNanoseconds = 2
        request.resourceTimeoutNanoseconds = 3
        request.expectedSend = 4
        request.expectedReceive = .max
        request.rate = 6
        request.connections = 7
        return request
    }()

    private static let transfer: HostMessage.Transfer = {
        var transfer = HostMessage.Transfer(
            id: 9, state: 3, session: "s", url: "http://a/b", method: "GET")
        transfer.flags = 0x20
        transfer.error = -1005
        transfer.errorText = "the connection was lost"
        transfer.status = 206
        transfer.description = "d"
        transfer.file = "/tmp/x"
        transfer.responseURL = "http://c/b"
        transfer.responseHeaders = "{}"
        transfer.received = 1
        transfer.expectedReceive = 2
        transfer.sent = 3
        transfer.expectedSend = 4
        transfer.earliestUnixNanoseconds = 5
        return transfer
    }()

    private static let plain = HostMessage.Transfer(
        id: .max, state: 0, session: "s", url: "http://a", method: "PUT")

    static let calls: [WorkerMessage.Call] = [
        .transfer(.create(request)),
        .transfer(.create(WorkerMessage.TransferRequest(session: "s", url: nil))),
        .transfer(.resume(id: 1)), .transfer(.suspend(id: .max)), .transfer(.cancel(id: 3)),
        .transfer(.cancelResumable(id: 4)), .transfer(.list(session: nil)),
        .transfer(.list(session: "s")), .transfer(.nextEnded(session: nil)),
        .transfer(.nextEnded(session: "s")), .transfer(.acknowledge(id: 5)),
        .pushes(.messages), .pushes(.result(2)),
    ]

    static let answers: [HostMessage.Answer] = [
        HostMessage.Answer(status: 0, id: 41),
        HostMessage.Answer(status: 0, data: [1, 0, 255]),
        HostMessage.Answer(status: 0, transfers: [transfer, plain], hasMore: true),
        HostMessage.Answer(
            status: 0,
            pushes: [
                HostMessage.Push(
                    payload: #"{"aps":{"content-available":1}}"#, collapseID: nil, priority: 5,
                    receivedUnixNanoseconds: 1),
                HostMessage.Push(
                    payload: "{}", collapseID: "c", priority: 1, receivedUnixNanoseconds: .max),
            ]),
    ]

    @Test("a call is read unchanged, and refused if truncated", arguments: calls)
    func call(_ call: WorkerMessage.Call) throws {
        let message = WorkerMessage.call(attempt: 7, call: 8, call)
        var frames = FrameBuffer()
        message.frame.withUnsafeBytes { frames.append($0) }
        let payload = try #require(try frames.next())
        #expect(try WorkerMessage(payload: payload) == message)
        for count in 0..<payload.count {
            #expect(throws: WireError.self) { try WorkerMessage(payload: payload.prefix(count)) }
        }
    }

    @Test("an answer is read unchanged, and refused if truncated", arguments: answers)
    func answer(_ answer: HostMessage.Answer) throws {
        let message = HostMessage.answer(call: 8, answer)
        var frames = FrameBuffer()
        message.frame.withUnsafeBytes { frames.append($0) }
        let payload = try #require(try frames.next())
        #expect(try HostMessage(payload: payload) == message)
        for count in 0..<payload.count {
            #expect(throws: WireError.self) { try HostMessage(payload: payload.prefix(count)) }
        }
    }

    @Test("the parts of an answer are joined in their order")
    func parts() {
        let push = HostMessage.Push(
            payload: "{}", collapseID: nil, priority: 5, receivedUnixNanoseconds: 1)
        var whole = HostMessage.Answer(
            status: 0, transfers: [Self.transfer], pushes: [push], hasMore: true)
        whole.append(HostMessage.Answer(status: 0, transfers: [Self.plain]))
        #expect(
            whole
                == HostMessage.Answer(
                    status: 0, transfers: [Self.transfer, Self.plain], pushes: [push]))
    }
}
