// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CBGRunShims
import Glibc
import Testing

@Suite(
    "A process that is started as another user", .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "needs root"))
struct SpawnTests {
    private func spawn(
        _ path: String, _ arguments: [String], as user: uid_t = 4321, output: Int32
    ) -> pid_t {
        let groups: [gid_t] = [7, 8]
        let command = CStrings([path] + arguments)
        let environment = CStrings(["PATH=/usr/bin:/bin", "A=b"])
        return withExtendedLifetime((command, environment)) {
            groups.withUnsafeBufferPointer { groups in
                var rights = bgrun_account(
                    user: user, group: 1234, groups: groups.baseAddress, group_count: 2)
                return bgrun_spawn_as(
                    &rights, path, command.pointers, environment.pointers,
                    [output, output, output], 3)
            }
        }
    }

    @Test(
        "has only that user's rights and groups, its own process group, and `/` as its directory"
    )
    func rights() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let script = """
            grep -E '^(Uid|Gid|Groups|SigBlk|SigIgn|CapEff):' /proc/self/status; pwd
            echo $A; ls /proc/self/fd | wc -l; test $(ps -o pgid= -p $$) = $$ && echo leads
            """
        let pid = spawn("/bin/sh", ["-c", script], output: ends[1])
        close(ends[1])
        try #require(pid > 0)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(ends[0], &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        close(ends[0])
        waitpid(pid, nil, 0)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .map { $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ") }
        // glibc reserves signal 32; a program cannot set it.
        let signals = lines.first { $0.hasPrefix("SigIgn") }?.replacing(
            "80000000", with: "00000000")
        #expect(signals == "SigIgn: 0000000000000000")
        #expect(
            lines.filter { !$0.hasPrefix("SigIgn") } == [
                "Uid: 4321 4321 4321 4321", "Gid: 1234 1234 1234 1234", "Groups: 7 8",
                "SigBlk: 0000000000000000", "CapEff: 0000000000000000", "/", "b", "4", "leads",
            ])
    }

    @Test(
        "fails with the reason if it is impossible, and leaves no child",
        arguments: [
            ("/no/such/program", -ENOENT), ("/etc/shadow", -EACCES), ("/", -EACCES),
        ])
    func failure(path: String, error: Int32) {
        #expect(spawn(path, [], output: 2) == error)
    }

    @Test("is killed if it does not execute its program in time, and leaves no child")
    func late() throws {
        // Each execution of the file waits for the release of the lease, which the test keeps.
        let path = "/tmp/bgrun-leased-\(getpid())"
        unlink(path)
        let file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o755)
        try #require(file >= 0)
        defer {
            close(file)
            unlink(path)
        }
        try #require(fchmod(file, 0o755) == 0)
        // F_SETSIG and F_SETLEASE of <fcntl.h>, which Glibc does not export. The standard signal would end
        // this process.
        try #require(fcntl(file, 10, SIGURG) == 0)
        try #require(fcntl(file, 1_024, F_WRLCK) == 0)
        let user: uid_t = 4322
        #expect(spawn(path, [], as: user, output: 2) == -ETIMEDOUT)
        let left = ProcessTree.children(of: getpid()).filter {
            ProcFile.text("/proc/\($0)/status").contains("\nUid:\t\(user)\t")
        }
        #expect(left.isEmpty)
    }
}
