// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Foundation
import Testing

@Suite("Ended transfers in the worker", .timeLimit(.minutes(10)))
struct TransferEventTests {
    /// A transfer that has ended, with a new file.
    private static func ended(
        _ id: Int64, _ description: String?, in directory: URL, isTemporary: Bool = true
    ) throws -> HostMessage.Transfer {
        let file = directory.appendingPathComponent("part-\(id)")
        try Data("content \(id)".utf8).write(to: file)
        var transfer = HostMessage.Transfer(
            id: id, state: 3, session: "org.test.task", url: "http://a/\(id)", method: "GET")
        transfer.flags = isTemporary ? 0x20 : 0
        transfer.status = 200
        transfer.description = description
        transfer.file = file.path
        return transfer
    }

    /// Delivers `transfers` in order, each until it is acknowledged.
    private static func run(
        _ transfers: [HostMessage.Transfer], in directory: URL
    ) async throws -> PlayedHost.Transcript {
        var left = transfers
        return try await PlayedHost.run("take", kind: 5, directory: directory.path) { call in
            switch call {
            case .transfer(.nextEnded(session: nil)):
                guard let next = left.first else { return HostMessage.Answer(status: -5) }
                return HostMessage.Answer(status: 0, transfers: [next])
            case .transfer(.acknowledge(let id)):
                guard left.first?.id == id else { return HostMessage.Answer(status: -5) }
                left.removeFirst()
                return HostMessage.Answer(status: 0)
            default:
                return HostMessage.Answer(status: 0, id: 100)
            }
        }
    }

    private static func withDirectory<Value>(
        _ body: (URL) async throws -> Value
    ) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }

    private static func files(_ directory: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    @Test(
        "Apple: each is delivered once, in order; its temporary file is removed after the callback"
    )
    func inOrder() async throws {
        try await Self.withDirectory { directory in
            let told = try await Self.run(
                [2, 1, 3].map { try Self.ended($0, nil, in: directory) }, in: directory)
            #expect(
                told.lines == [
                    "2 -, file there", "1 -, file there", "3 -, file there", "events 0",
                ])
            #expect(
                told.calls == [
                    .transfer(.nextEnded(session: nil)), .transfer(.acknowledge(id: 2)),
                    .transfer(.nextEnded(session: nil)), .transfer(.acknowledge(id: 1)),
                    .transfer(.nextEnded(session: nil)), .transfer(.acknowledge(id: 3)),
                    .transfer(.nextEnded(session: nil)),
                ])
            #expect(try Self.files(directory) == [])
            #expect(told.isSuccess == true)
        }
    }

    @Test("Apple: a file that was moved in the callback stays at its new place")
    func moved() async throws {
        try await Self.withDirectory { directory in
            _ = try await Self.run([Self.ended(1, "move", in: directory)], in: directory)
            #expect(try Self.files(directory) == ["part-1.aside"])
        }
    }

    @Test("another file in the place of the temporary one stays")
    func replaced() async throws {
        try await Self.withDirectory { directory in
            _ = try await Self.run([Self.ended(1, "replace", in: directory)], in: directory)
            #expect(try Self.files(directory) == ["part-1"])
        }
    }

    @Test("a file that is not temporary stays")
    func final() async throws {
        try await Self.withDirectory { directory in
            _ = try await Self.run(
                [Self.ended(1, nil, in: directory, isTemporary: false)], in: directory)
            #expect(try Self.files(directory) == ["part-1"])
        }
    }

    @Test("a transfer that the callback refuses is not acknowledged, and delivery stops")
    func refused() async throws {
        try await Self.withDirectory { directory in
            let told = try await Self.run(
                [
                    Self.ended(1, nil, in: directory), Self.ended(2, "refuse", in: directory),
                    Self.ended(3, nil, in: directory),
                ], in: directory)
            #expect(told.lines == ["1 -, file there", "2 refuse, file there", "events 7"])
            #expect(!told.calls.contains(.transfer(.acknowledge(id: 2))))
            #expect(try Self.files(directory) == ["part-2", "part-3"])
            #expect(told.isSuccess == false)
        }
    }

    @Test("an attempt that ends in the callback acknowledges nothing, and its file stays")
    func ended() async throws {
        try await Self.withDirectory { directory in
            let told = try await Self.run([Self.ended(1, "complete", in: directory)], in: directory)
            #expect(told.lines == ["1 complete, file there", "events -2"])
            #expect(told.calls == [.transfer(.nextEnded(session: nil))])
            #expect(try Self.files(directory) == ["part-1"])
        }
    }

    @Test("a transfer whose file was taken before is delivered")
    func again() async throws {
        try await Self.withDirectory { directory in
            let transfer = try Self.ended(1, nil, in: directory)
            try FileManager.default.removeItem(atPath: directory.path + "/part-1")
            let told = try await Self.run([transfer], in: directory)
            #expect(told.lines == ["1 -, file missing", "events 0"])
        }
    }

    @Test("the callback may create the next transfer")
    func follow() async throws {
        try await Self.withDirectory { directory in
            let told = try await Self.run([Self.ended(1, "follow", in: directory)], in: directory)
            #expect(told.lines == ["1 follow, file there", "create inside 0", "events 0"])
        }
    }

    @Test("a transfer that was released elsewhere does not stop those after it")
    func gone() async throws {
        try await Self.withDirectory { directory in
            var left = [
                try Self.ended(1, nil, in: directory), try Self.ended(2, nil, in: directory),
            ]
            let told = try await PlayedHost.run("take", kind: 5) { call in
                switch call {
                case .transfer(.acknowledge(let id)):
                    HostMessage.Answer(status: id == 1 ? -5 : 0)
                default:
                    left.isEmpty
                        ? HostMessage.Answer(status: -5)
                        : HostMessage.Answer(status: 0, transfers: [left.removeFirst()])
                }
            }
            #expect(told.lines == ["1 -, file there", "2 -, file there", "events 0"])
        }
    }

    @Test("an error of the host is returned", arguments: [-6, -7] as [Int32])
    func unavailable(_ status: Int32) async throws {
        let told = try await PlayedHost.run("take", kind: 5) { _ in
            HostMessage.Answer(status: status)
        }
        #expect(told.lines == ["events \(status)"])
        #expect(told.isSuccess == false)
    }
}
