// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSupervisor
import CBGRunShims
import Foundation
import Glibc
import Testing

@Suite("Attempts and their secrets", .timeLimit(.minutes(5)))
struct SecretTests {
    private static let plugin = Task { () throws -> String in
        try PlayedHost.compiled("secrets")
    }

    /// A sealed file with a text, which the caller closes.
    private func sealed(_ text: String) throws -> Int32 {
        let file = bgrun_sealed_file("bgrun-secret", text, text.utf8.count)
        try #require(file >= 0)
        return file
    }

    private struct End {
        var lines: [String] = []
        var isSuccess: Bool?
        var leftovers: WorkerMessage.Leftovers?
        var refusal: String?
    }

    /// The messages of the attempt until its end.
    private func end(of worker: WorkerProcess) throws -> End {
        var end = End()
        while true {
            for message in try PlayedHost.messages(of: worker) {
                switch message {
                case .log(_, _, let text): end.lines.append(text)
                case .completed(_, let isSuccess, _, _): end.isSuccess = isSuccess
                case .idle(_, let leftovers):
                    end.leftovers = leftovers
                    return end
                case .refused(let reason):
                    end.refusal = reason
                    return end
                default: break
                }
            }
        }
    }

    @Test("an attempt and its commands read them from their start; the next attempt has none")
    func shown() async throws {
        let (file, other) = (try sealed("one"), try sealed("two"))
        defer { for descriptor in [file, other] { close(descriptor) } }
        let worker = try PlayedHost.start(
            "show", of: try await Self.plugin.value, secrets: ["token"], passing: [file])
        defer { PlayedHost.end(worker) }
        let first = try end(of: worker)
        let line = try #require(first.lines.first)
        #expect(line.hasPrefix("one|one|one||"))
        #expect(first.leftovers == [])
        PlayedHost.launch("show", in: worker)
        let second = try end(of: worker)
        #expect(second.lines == ["||||\(line.split(separator: "|").last ?? "")"])
        #expect(second.leftovers == [])
        PlayedHost.launch("show", in: worker, secrets: ["token"], passing: [other, file])
        let third = try end(of: worker)
        #expect(third.lines.first?.hasPrefix("two|two|two|socket|") == true, "\(third.lines)")
        #expect(third.leftovers == [])
    }

    @Test("a handler may close one, and a kept copy ends its worker")
    func kept() async throws {
        let file = try sealed("one")
        defer { close(file) }
        let worker = try PlayedHost.start(
            "shut", of: try await Self.plugin.value, secrets: ["token"], passing: [file])
        defer { PlayedHost.end(worker) }
        let shut = try end(of: worker)
        #expect(shut.isSuccess == true && shut.leftovers == [])
        PlayedHost.launch("keep", in: worker, secrets: ["token"], passing: [file])
        let kept = try end(of: worker)
        #expect(kept.isSuccess == true && kept.leftovers == .descriptors)
    }

    @Test("an attempt without one of them is refused")
    func lost() async throws {
        let file = try sealed("one")
        defer { close(file) }
        let worker = try PlayedHost.start(
            "show", of: try await Self.plugin.value, secrets: ["token", "key"], passing: [file])
        defer { PlayedHost.end(worker) }
        let end = try end(of: worker)
        #expect(
            end.refusal
                == "the worker received 1 of its 2 secrets: it has too many open files")
        #expect(end.lines.isEmpty)
    }
}
