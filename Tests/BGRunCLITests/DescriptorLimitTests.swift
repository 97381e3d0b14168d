// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import Foundation
import Glibc
import Testing

@testable import BGRunCLI

@Suite("The limits of the system that a host reads", .timeLimit(.minutes(5)))
struct DescriptorLimitTests {
    @Test("the limit of processes is that of the user; root has no limit")
    func processes() throws {
        #expect(DescriptorLimit.processes(of: 0) == nil)
        let limits = try String(contentsOfFile: "/proc/self/limits", encoding: .utf8)
        let line = try #require(
            limits.split(separator: "\n").first { $0.hasPrefix("Max processes ") })
        let words = line.split(separator: " ")
        let soft = words[2] == "unlimited" ? Int64.max : Int64(words[2])
        #expect(soft != nil, "\(line)")
        #expect(DescriptorLimit.processes(of: 1) == soft)
    }

    /// A tree of cgroups: `limits` by the path of their directory.
    private func withGroups(_ limits: [String: String], _ body: (String) throws -> Void) throws {
        let root = NSTemporaryDirectory() + "bgrun-cgroup-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        for (path, limit) in limits {
            try FileManager.default.createDirectory(
                atPath: root + path, withIntermediateDirectories: true)
            try (limit + "\n").write(
                toFile: root + path + "/pids.max", atomically: false, encoding: .utf8)
        }
        try body(root)
    }

    @Test("the limit of tasks is the lowest of the cgroup of this process and those above it")
    func tasks() throws {
        let limits = [
            "/user.slice": "max", "/user.slice/a": "200", "/user.slice/a/b": "300",
            "/user.slice/a/c": "100", "/user.slice/a/b/d": "1",
        ]
        try withGroups(limits) { root in
            for (group, limit) in [
                ("/", nil), ("/user.slice", nil), ("/user.slice/a", 200), ("/user.slice/a/b", 200),
                ("/user.slice/a/c", 100), ("/user.slice/a/missing", 200), ("/other", nil),
            ] as [(String, Int64?)] {
                let groups = "3:cpu:/user.slice/a/c\n0::\(group)\n"
                #expect(DescriptorLimit.tasks(of: groups, in: root) == limit, "\(group)")
            }
            #expect(DescriptorLimit.tasks(of: "3:pids:/user.slice/a/c\n", in: root) == nil)
            #expect(DescriptorLimit.tasks(of: "", in: root) == nil)
        }
        try withGroups(["": "50", "/a": "60"]) { root in
            #expect(DescriptorLimit.tasks(of: "0::/\n", in: root) == 50)
            #expect(DescriptorLimit.tasks(of: "0::/a\n", in: root) == 50)
        }
    }

    @Test("each of the limits causes the warning")
    func warning() throws {
        var policy = Policy.server
        policy.concurrentAttempts = 100
        let enough = DescriptorLimit(before: nil, limit: .max)
        #expect(enough.attemptLimits(processes: nil, tasks: nil).warning(for: policy) == nil)
        for (limits, processes, tasks, text) in [
            (DescriptorLimit(before: nil, limit: 99), nil, nil, "this process may open 99 files"),
            (enough, 28, nil, "this user may have 28 processes"),
            (enough, nil, 29, "this cgroup, or one above it, may have 29 processes"),
        ] as [(DescriptorLimit, Int64?, Int64?, String)] {
            let warning = try #require(
                limits.attemptLimits(processes: processes, tasks: tasks).warning(for: policy))
            #expect(warning.contains(text), "\(warning)")
        }
    }
}
