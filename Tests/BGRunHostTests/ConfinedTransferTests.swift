// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import CBGRunPlugin
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunTransfers

@Suite("A transfer of a confined handler", .timeLimit(.minutes(5)))
final class ConfinedTransferTests: TransferDatabase {
    private var home: String { StateDirectory.appHome(state.absolutePath) }

    private func bench() throws -> HostBench {
        let bench = try HostBench(HostBench.task("org.test.a"), state: state).started()
        bench.launch("org.test.a")
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true)
        return bench
    }

    private static let confinement: Confinement = {
        var keys = ConfinementKeys()
        keys.profile = .standard
        return Confinement(keys)
    }()

    private func create(
        _ bench: HostBench, to file: String?, flags: UInt32 = 0, resume: String? = nil,
        confined: Confinement? = confinement
    ) throws -> Int32? {
        var wish = WorkerMessage.TransferRequest(session: "s", url: "https://example.org/f")
        wish.file = file
        wish.flags = flags
        if let resume {
            wish.resumeData = Array(
                #"{"url": "https://example.org/f", "headers": [], "validator": "\"a\"", "#.utf8)
            wish.resumeData += Array("\"file\": \"\(resume)\"}".utf8)
        }
        return bench.call(.transfer(.create(wish)), from: 1, confined: confined)?.status
    }

    @Test("has its file in the app's home, or no file")
    func permitted() throws {
        let bench = try bench()
        #expect(try create(bench, to: nil, flags: BGRUN_TRANSFER_KEEP) == BGRUN_OK)
        #expect(try create(bench, to: home + "/a/b", flags: BGRUN_TRANSFER_KEEP) == BGRUN_OK)
        let requests = try store.transfers(.unfinished).map(\.request)
        #expect(requests.map(\.file) == [nil, home + "/a/b"])
        #expect(requests.allSatisfy { $0.within == home })
        // The host does not move a file from a directory that the handler can replace.
        #expect(requests.map(\.keepsFile) == [true, nil])
    }

    @Test(
        "is refused with a file elsewhere",
        arguments: ["/etc/hostname", "a", "../a", "HOME/../a", "HOME", "HOMES/a"])
    func refused(_ file: String) throws {
        let bench = try bench()
        let file = file.replacingOccurrences(of: "HOME", with: home)
        for flags in [0, BGRUN_TRANSFER_UPLOAD] {
            #expect(try create(bench, to: file, flags: flags) == BGRUN_E_NOT_PERMITTED)
        }
        #expect(bench.log.has("is not permitted to a confined handler"))
        #expect(bench.log.has("use a path within BGRUN_APP_HOME, or none"))
        #expect(try store.transfers(.unfinished).isEmpty)
    }

    @Test("resumes only from a part in the app's home or among its downloads")
    func resumed() throws {
        let bench = try bench()
        let outside = base + "/part"
        let parts = [state.downloads + "/7.part", home + "/.f.part", outside]
        for part in parts {
            try #require(FileManager.default.createFile(atPath: part, contents: nil))
        }
        #expect(try create(bench, to: nil, resume: parts[0]) == BGRUN_OK)
        #expect(try create(bench, to: nil, resume: parts[1]) == BGRUN_OK)
        #expect(try create(bench, to: nil, resume: outside) == BGRUN_E_NOT_PERMITTED)
        #expect(try create(bench, to: nil, resume: outside, confined: nil) == BGRUN_OK)
    }

    @Test("has any file without confinement")
    func unconfined() throws {
        let bench = try bench()
        #expect(try create(bench, to: "/tmp/a", confined: nil) == BGRUN_OK)
        #expect(try store.transfers(.unfinished).first?.request.within == nil)
    }
}
