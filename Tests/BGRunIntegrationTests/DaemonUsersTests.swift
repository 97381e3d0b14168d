// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite(
    "Root's daemon and its users", .timeLimit(.minutes(5)),
    .enabled(if: Users.canBeChanged, "needs root, and a build that other users can run"))
struct DaemonUsersTests {
    private func owner(of path: String) throws -> (user: uid_t, group: gid_t, mode: mode_t) {
        var status = stat()
        try #require(lstat(path, &status) == 0, "\(path)")
        return (status.st_uid, status.st_gid, status.st_mode & 0o7777)
    }

    private func end(_ daemon: Running) async {
        #expect(await daemon.stop().code == 0)
    }

    @Test("an app runs as its `user`, with that user's groups, home and environment")
    func user() async throws {
        try await Sandbox.with { box in
            try box.writeApp(
                "one", "id -u; id -G; echo $USER $HOME $PATH",
                rest: "user: nobody")
            let daemon = try await box.daemon(until: "Hosting one.yaml as nobody")
            try await daemon.line("Task completed with identifier org.test.one.run")
            let lines = daemon.errorLines.filter { $0.contains("[org.test.one.run]") }
                .compactMap { $0.components(separatedBy: "] ").last }
            #expect(lines.filter { $0 == "65534" }.count == 2, "its number, and its only group's")
            #expect(lines.contains("nobody /nonexistent /usr/local/bin:/usr/bin:/bin"))
            let state = try owner(of: box.state + "/org.test.one")
            #expect(state.user == Users.nobody && state.mode == 0o700)
            await end(daemon)
        }
    }

    @Test("an app runs as the owner of its manifest, who cannot choose another user")
    func manifestOwner() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u")
            try box.writeApp("two", "id -u", rest: "user: root")
            chown(box.apps + "/one.yaml", Users.nobody, .max)
            chown(box.apps + "/two.yaml", Users.nobody, .max)
            let daemon = try await box.daemon(until: "[org.test.one.run] 65534")
            try await daemon.line(
                "two.yaml is left aside until it is changed: its `user` is root, and it belongs to nobody"
            )
            await end(daemon)
        }
    }

    @Test("a manifest in another user's directory is not run with root's rights")
    func directory() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u")
            chown(box.apps, Users.nobody, .max)
            let daemon = try box.startDaemon()
            try await daemon.line(
                "one.yaml is left aside until it is changed: others could change it")
            await end(daemon)
        }
    }

    @Test("only root chooses the target of a link to its files")
    func link() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u")
            let home = box.directory + "/home"
            try FileManager.default.createDirectory(
                atPath: home, withIntermediateDirectories: false)
            chown(home, Users.nobody, .max)
            try FileManager.default.moveItem(
                atPath: box.apps + "/one.yaml", toPath: box.directory + "/roots.yaml")
            symlink(box.directory + "/roots.yaml", home + "/mine.yaml")
            lchown(home + "/mine.yaml", Users.nobody, .max)
            symlink(home + "/mine.yaml", box.apps + "/one.yaml")
            let daemon = try box.startDaemon()
            try await daemon.line("mine.yaml owned by root, found user 65534; chown -h it")
            await end(daemon)
        }
    }

    @Test("a change of the manifest's owner ends its host; the state must get the new owner, too")
    func given() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u")
            let daemon = try await box.daemon()
            chown(box.apps + "/one.yaml", Users.nobody, .max)
            try await daemon.line("one.yaml has another owner: its host ends")
            try await daemon.line("org.test.one belongs to user 0, and the app runs as nobody")
            await end(daemon)
        }
    }

    @Test("a manifest that gets another `user` ends its host, and then runs as that user")
    func otherUser() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u", rest: "user: nobody")
            let daemon = try await box.daemon(until: "[org.test.one.run] 65534")
            try box.writeApp("one", "echo never", rest: "user: bin")
            try await daemon.line("the host of one.yaml ended (exit code 0)")
            try await daemon.line("and the app runs as bin")
            #expect(!daemon.errorLines.contains { $0.contains("] never") })
            await end(daemon)
        }
    }

    @Test("a user who runs a manifest of another user is refused: exit 77")
    func byHand() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u", rest: "user: nobody")
            let arguments = ["run", "--manifest", box.apps + "/one.yaml", "--state", box.state]
            let finished = try await box.start(arguments).end()
            #expect(finished.code == 77)
            #expect(finished.error.contains("its `user` is nobody, and bgrun runs as root"))
        }
    }

    @Test("another user's manifest that names no `user` is refused; the user's own and root's run")
    func othersByHand() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u")
            let manifest = box.apps + "/one.yaml"
            for owner in [1234, Users.nobody, 0] {
                let state = "\(box.state)-\(owner)"
                try FileManager.default.createDirectory(
                    atPath: state, withIntermediateDirectories: false)
                chown(state, Users.nobody, .max)
                try #require(chown(manifest, owner, .max) == 0)
                let finished = try await box.start(
                    as: Users.nobody, ["run", "--once", "--manifest", manifest, "--state", state]
                ).end()
                let ran = finished.error.contains("[org.test.one.run] 65534")
                guard owner == 1234 else {
                    #expect(finished.code == 0 && ran, "\(owner): \(finished.error)")
                    continue
                }
                #expect(finished.code == 77 && !ran, "\(finished.error)")
                #expect(
                    finished.error.contains("the manifest belongs to ")
                        && finished.error.contains(", and bgrun runs as nobody; run it as its"),
                    "\(finished.error)")
            }
        }
    }

    @Test("only the user, root and members of the control group get answers")
    func controlGroup() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u", rest: "user: nobody\ncontrol_group: '4321'")
            let daemon = try await box.daemon()
            #expect(try owner(of: box.state + "/org.test.one").mode == 0o2710)
            #expect(try owner(of: box.state + "/org.test.one/control.sock").group == 4321)
            let options = ["--manifest", box.apps + "/one.yaml", "--state", box.state]
            func run(_ command: String, _ word: String?, _ groups: [gid_t]) async throws -> Finished
            {
                try await box.start(
                    as: 1234, groups: groups, [command] + options + (word.map { [$0] } ?? [])
                ).end()
            }
            let task = "org.test.one.run"
            #expect(try await run("pending", nil, [4321]).output == "nothing is pending\n")
            let explained = try await run("explain", task, [4321])
            #expect(explained.code == 0 && explained.error == "")
            let refused = try await run("submit", task, [4321])
            #expect(refused.code == 77)
            #expect(
                refused.error.contains("not permitted: members of the control group may only ask"))
            for (command, word) in [
                ("pending", nil), ("submit", task), ("explain", task), ("cancel", task),
                ("history", nil), ("replay", nil),
            ] {
                let strange = try await run(command, word, [4322])
                #expect(strange.code == 77, "\(command)")
                #expect(strange.error.contains("not permitted"), "\(strange.error)")
            }
            #expect(try await run("history", nil, [4321]).code == 77, "its files are not for them")
            let own = try await box.start(as: Users.nobody, ["submit"] + options + [task]).end()
            #expect(own.code == 0)
            #expect(try await box.start(["submit"] + options + [task]).end().code == 0)
            await end(daemon)
        }
    }

    @Test(
        "a host that was started by hand opens its directory only to a group of its user")
    func ownControlGroup() async throws {
        for group in [4321, 4322] as [gid_t] {
            try await Sandbox.with { box in
                try box.writeApp("one", "id -u", rest: "control_group: '4321'")
                try FileManager.default.createDirectory(
                    atPath: box.state, withIntermediateDirectories: false)
                chown(box.state, 1234, .max)
                let options = ["--manifest", box.apps + "/one.yaml", "--state", box.state]
                let host = try box.start(
                    as: 1234, groups: [group], ["run", "--stay"] + options)
                try await host.line("Task completed with identifier org.test.one.run")
                let asked = try await box.start(as: 1235, groups: [4321], ["pending"] + options)
                    .end()
                #expect(asked.code == (group == 4321 ? 0 : 77))
                #expect(
                    host.errorLines.contains { $0.contains("cannot be opened to the group 4321") }
                        == (group != 4321))
                #expect(
                    try owner(of: box.state + "/org.test.one").mode
                        == (group == 4321 ? 0o2710 : 0o700))
                await end(host)
            }
        }
    }

    @Test("commands find the state of an app of root's daemon by its manifest")
    func found() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u", rest: "user: nobody")
            let place = ["BGRUN_COMMON_STATE": box.directory + "/common"]
            let daemon = try box.start(["daemon", "--manifests", box.apps], false, place)
            try await daemon.line("Task completed with identifier org.test.one.run")
            let asked = ["history", "--manifest", box.apps + "/one.yaml", "--json"]
            let history = try await box.start(asked, false, place).end()
            #expect(try Sandbox.attempts(history.output).map(\.outcome) == ["completed"])
            let apps = try await box.start(as: 1234, ["apps"], place).end()
            #expect(apps.output.contains("org.test.one  nobody"))
            await end(daemon)
        }
    }

    @Test(
        "root reads state with its user's rights although the path is closed, and nothing else there"
    )
    func unreachable() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u", rest: "user: nobody")
            let daemon = try await box.daemon()
            await end(daemon)
            // As systemd keeps the state of a service with DynamicUser= in /var/lib/private.
            try #require(chmod(box.state, 0o700) == 0)
            let options = ["--app", "org.test.one", "--state", box.state]
            for command in ["history", "logs", "pending", "report", "explain", "submit"] {
                let words = ["explain", "submit"].contains(command) ? ["org.test.one.run"] : []
                let finished = try await box.start([command] + options + words).end()
                #expect(finished.code == 0, "\(command): \(finished.error)")
            }
            let metrics = try await box.start(["metrics", "--state", box.state]).end()
            #expect(
                metrics.output.contains(#"bgrun_up{app="org.test.one"} 0"#), "\(metrics.output)")
            #expect(try await box.start(as: Users.nobody, ["history"] + options).end().code != 0)
        }
    }

    @Test("a user's daemon waits for its directory, and hosts the manifests there as that user")
    func ownDaemon() async throws {
        try await Sandbox.with { box in
            let home = box.directory + "/home"
            chmod(box.directory, 0o755)
            try FileManager.default.createDirectory(
                atPath: home + "/config", withIntermediateDirectories: true)
            chown(home, Users.nobody, .max)
            chown(home + "/config", Users.nobody, .max)
            let daemon = try box.start(
                as: Users.nobody, ["daemon"],
                ["XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home])
            try await daemon.line("/config/bgrun.d does not exist yet")
            try box.writeApp("one", "id -u")
            try FileManager.default.moveItem(
                atPath: box.apps, toPath: home + "/config/bgrun.d")
            chown(home + "/config/bgrun.d", Users.nobody, .max)
            try await daemon.line("[org.test.one.run] 65534")
            await end(daemon)
        }
    }
}
