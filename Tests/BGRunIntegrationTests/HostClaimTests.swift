// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite(
    "The claim of a host on both usual state directories of an app", .timeLimit(.minutes(5)),
    .enabled(if: Users.canBeChanged, "needs root, and a build that other users can run"))
struct HostClaimTests {
    private func end(_ running: Running) async {
        #expect(await running.stop().code == 0)
    }

    /// Replaces `/var/lib/bgrun` in tests.
    private func place(_ box: Sandbox) -> [String: String] {
        ["BGRUN_COMMON_STATE": box.directory + "/common"]
    }

    /// Root's daemon, after it has completed the task of the app `one`, and the daemon's host of that app.
    private func hostedByRoot(_ box: Sandbox) async throws -> (daemon: Running, host: pid_t) {
        let daemon = try box.start(["daemon", "--manifests", box.apps], false, place(box))
        let line = try await daemon.line("Hosting one.yaml")
        try await daemon.line("Task completed with identifier org.test.one.run")
        return (daemon, try #require(line.number(after: "process ")))
    }

    /// The variables of the user `nobody` with a home directory, and a copy of `apps` in it.
    private func homeOfNobody(_ box: Sandbox) throws -> (
        variables: [String: String], apps: String
    ) {
        let home = box.directory + "/home"
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: box.apps, toPath: home + "/apps")
        for path in [home, home + "/apps", home + "/apps/one.yaml"] {
            chown(path, Users.nobody, .max)
        }
        return (place(box).merging(["XDG_STATE_HOME": home]) { $1 }, home + "/apps")
    }

    @Test("root cannot run an app that root's daemon hosts, except with --state")
    func hosted() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo ran >> \(box.directory)/runs")
            let (daemon, host) = try await hostedByRoot(box)
            let copy = box.directory + "/copy.yaml"
            try FileManager.default.copyItem(atPath: box.apps + "/one.yaml", toPath: copy)
            let same = ["--state", box.directory + "/common"]
            for options in [[box.apps + "/one.yaml"], [copy], [copy] + same] {
                let second = try await box.start(["run", "-m"] + options, false, place(box)).end()
                #expect(second.code == 75)
                #expect(
                    second.error.contains(
                        "hosted by the daemon, process \(daemon.pid), as process \(host) with its state "
                            + "in \(box.directory)/common/org.test.one;"), "\(second.error)")
            }
            let runs = { try String(contentsOfFile: box.directory + "/runs", encoding: .utf8) }
            #expect(try runs() == "ran\n")
            let chosen = ["run", "-m", copy, "--state", box.state]
            #expect(try await box.start(chosen, false, place(box)).end().code == 0)
            #expect(try runs() == "ran\nran\n")
            // The command reaches the host through any manifest of the app.
            let trigger = ["trigger", "-m", copy, "org.test.one.run"]
            #expect(try await box.start(trigger, false, place(box)).end().code == 0)
            await end(daemon)
        }
    }

    @Test("a host without a daemon excludes others until it is killed")
    func killedHost() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "true")
            let arguments = ["run", "-m", box.apps + "/one.yaml"]
            let common = ["--stay", "--state", box.directory + "/common"]
            let host = try box.start(arguments + common, false, place(box))
            try await host.line("Task completed with identifier org.test.one.run")
            let second = try await box.start(arguments, false, place(box)).end()
            #expect(second.code == 75)
            #expect(
                second.error.contains(
                    "has a host already in another state directory, "
                        + "\(box.directory)/common/org.test.one, process \(host.pid);"),
                "\(second.error)")
            let waiting = try box.start(arguments + ["--wait-lock", "1d"], false, place(box))
            host.signal(SIGKILL)
            let finished = await waiting.end()
            #expect(finished.code == 0)
            #expect(finished.error.contains("Task completed with identifier org.test.one.run"))
        }
    }

    @Test("a user's daemon waits while root's daemon hosts the app as that user")
    func twoDaemons() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u", rest: "user: nobody")
            let home = try homeOfNobody(box)
            let (daemon, host) = try await hostedByRoot(box)
            let second = try box.start(
                as: Users.nobody, ["daemon", "--manifests", home.apps], home.variables)
            try await second.line(
                "hosted by the daemon, process \(daemon.pid), as process \(host) with its state in")
            try await second.line("the host of one.yaml ended (exit code 75); it is started again")
            await end(daemon)
            try await second.line("[org.test.one.run] 65534")
            await end(second)
        }
    }

    @Test("another user's host of the same app excludes no host")
    func otherUser() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u")
            let copy = box.directory + "/copy.yaml"
            try FileManager.default.moveItem(atPath: box.apps + "/one.yaml", toPath: copy)
            try box.writeApp("one", "id -u", rest: "user: nobody")
            let (daemon, _) = try await hostedByRoot(box)
            let own = try await box.start(["run", "-m", copy], false, place(box)).end()
            #expect(own.code == 0)
            #expect(own.error.contains("[org.test.one.run] 0"), "\(own.error)")
            await end(daemon)
        }
    }

    @Test("root's commands reach the running host, not the directory that the daemon cannot use")
    func aside() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "true")
            let common = box.directory + "/common/org.test.one"
            try FileManager.default.createDirectory(
                atPath: common, withIntermediateDirectories: true)
            chown(common, Users.nobody, .max)
            let daemon = try box.start(["daemon", "--manifests", box.apps], false, place(box))
            try await daemon.line("one.yaml is left aside until it is changed")
            let manifest = box.apps + "/one.yaml"
            let host = try box.start(["run", "--stay", "-m", manifest], false, place(box))
            try await host.line("Task completed with identifier org.test.one.run")
            let trigger = ["trigger", "-m", manifest, "org.test.one.run"]
            let triggered = try await box.start(trigger, false, place(box)).end()
            #expect(triggered.code == 0, "\(triggered.error)")
            await end(host)
            await end(daemon)
        }
    }
}
