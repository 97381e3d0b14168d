// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

@Suite("The key `confine`", .timeLimit(.minutes(10)))
struct ConfinementKeysTests {
    private func read(_ text: String, home: String? = "/home/ada") throws -> ManifestReading {
        var options = ManifestReader.Options(checksFiles: false)
        options.home = home
        options.runtimeDirectory = "/x/runtime"
        return try ManifestReader.read(
            bytes: Array(text.utf8), path: "app.yaml", directory: "/srv/app", options: options)
    }

    /// The keys of a task with this `confine:`.
    private func keys(_ text: String) throws -> ConfinementKeys {
        let manifest = try read(Sample.text(task: "confine: \(text)")).manifest
        return try #require(manifest.tasks.first).confinement
    }

    @Test("a manifest without it has no keys")
    func missing() throws {
        let manifest = try Sample.read()
        #expect(manifest.confinement == ConfinementKeys())
        #expect(manifest.plugins.map(\.confinement) == [ConfinementKeys()])
        #expect(manifest.tasks.map(\.confinement) == [ConfinementKeys()])
        let task = try #require(manifest.tasks.first)
        #expect(manifest.confinement(of: task) == Confinement(ConfinementKeys()))
    }

    @Test("every key is read")
    func all() throws {
        let example = try #require(
            Case.all("valid").first { $0.testDescription == "all-keys.yaml" })
        let manifest = try example.read().get().manifest
        let files = Case.directory.path + "/files"
        var outer = ConfinementKeys()
        outer.enforcement = .prefer
        outer.read = [files]
        #expect(manifest.confinement == outer)
        let plugin = try #require(manifest.plugins.first { $0.name == "more" })
        #expect(plugin.confinement.profile == .standard)
        #expect(plugin.confinement.read == [files + "/token"])

        let task = try #require(
            manifest.tasks.first { $0.declaration.identifier.hasSuffix(".cleanup") })
        var keys = ConfinementKeys()
        keys.profile = .strict
        keys.enforcement = .require
        keys.read = [files, files + "/secret"]
        keys.write = [Case.directory.path + "/valid"]
        keys.hide = ["/home/ada/.ssh", Case.directory.path + "/gone"]
        keys.sockets = ["/dev/full"]
        keys.devices = ["/dev/null"]
        keys.network = Confinement.Network(connect: [443, 53], listen: [], udp: false)
        keys.tasks = 5
        keys.files = 16
        keys.memory = 1 << 30
        keys.fileSize = 4 << 30
        keys.temporary = 1 << 30
        keys.processorTime = .minutes(10)
        keys.nice = 19
        keys.keptVariables = ["HTTPS_PROXY", "HTTP_PROXY"]
        keys.reuse = .warm
        #expect(task.confinement == keys)
        #expect(
            manifest.confinement(of: task)
                == Confinement(outer.with(plugin.confinement).with(keys)))
        #expect(
            manifest.confinement(of: task).read == [files, files + "/token", files + "/secret"])
    }

    @Test(
        "a word is a profile",
        arguments: [
            ("none", Confinement.Profile.none), ("default", .standard), ("strict", .strict),
        ])
    func words(_ word: String, profile: Confinement.Profile) throws {
        #expect(try keys(word).profile == profile)
        #expect(try keys("{profile: \(word)}").profile == profile)
    }

    @Test(
        "paths become absolute, without dots and a slash at the end",
        arguments: [
            ("~", "/home/ada"), ("'~'", "/home/ada"), ("~/", "/home/ada"), ("~/x", "/home/ada/x"),
            ("~/../bob/x/", "/home/bob/x"), ("data", "/srv/app/data"), (".", "/srv/app"),
            ("./a/./b//c/..", "/srv/app/a/b"), ("../../../x", "/x"), ("/", "/"), ("/..", "/"),
            ("/a/", "/a"), ("a~", "/srv/app/a~"), ("~bob", "/srv/app/~bob"), ("$x", "/srv/app/$x"),
        ])
    func paths(_ text: String, path: String) throws {
        for key in ["read", "write", "hide", "sockets", "devices"] {
            let keys = try keys("{\(key): [\(text), \(text)]}")
            let all = keys.read + keys.write + keys.hide + keys.sockets + keys.devices
            #expect(all == [path], "\(key)")
        }
    }

    @Test(
        "a network is a word, or a mapping in which it may connect to all ports and listen on none",
        arguments: [
            ("any", Confinement.Network.any), ("none", .none), ("outgoing", .outgoing),
            ("{}", .outgoing), ("{connect: []}", Confinement.Network(connect: [], listen: [])),
            ("{udp: false}", Confinement.Network(listen: [], udp: false)),
            ("{listen: [80, 65535, 80]}", Confinement.Network(listen: [80, 65535])),
            ("{connect: [1]}", Confinement.Network(connect: [1], listen: [])),
        ])
    func networks(_ text: String, network: Confinement.Network) throws {
        #expect(try keys("{network: \(text)}").network == network)
    }

    @Test("the values of the task apply over the plugin's, and those over the manifest's")
    func levels() throws {
        let text = Sample.text(
            task: "confine: {nice: 3, read: [/c]}",
            rest: """
                  com.example.app.clean.call:
                    kind: processing
                    call: {library: libc.so.6, function: sync}
                confine: {profile: strict, nice: 1, files: 20, read: [/a]}
                """
        ).replacing(
            "exec: hello-c",
            with: "exec: {path: hello-c, confine: {nice: 2, files: 30, read: [/b]}}"
        )
        .replacing("identifiers: [com", with: "identifiers: [com.example.app.clean.call, com")
        let manifest = try read(text).manifest
        let confinements = manifest.tasks.map(manifest.confinement)
        #expect(confinements.map(\.profile) == [.strict, .strict])
        #expect(confinements.map(\.nice) == [3, 1])
        #expect(confinements.map(\.files) == [30, 20])
        #expect(confinements.map(\.read) == [["/a", "/b", "/c"], ["/a"]])
    }

    /// The diagnostics of `confine:` of a task with the profile `default`.
    private func warnings(_ key: String, _ path: String) throws -> [Diagnostic] {
        let line = "confine: {profile: default, \(key): [\(path)]}"
        return try read(Sample.text(task: line)).warnings
    }

    @Test(
        "a grant of homes, or of writing the machine's settings, is a warning",
        arguments: [
            ("read", ["/", "/home", "/root/", "~", "/home/ada/.", "~/.."]),
            ("write", ["/", "/home", "/root", "~", "/etc", "/usr/../etc"]),
        ])
    func widePaths(_ key: String, paths: [String]) throws {
        for path in paths {
            #expect(try warnings(key, path).map(\.code) == [.wideGrant], "\(path)")
        }
        for path in ["/usr", "/home/bob", "/home/ad", "~/x", "/etc/passwd", "/homes", "./etc"] {
            #expect(try warnings(key, path).isEmpty, "\(path)")
        }
        #expect(try warnings("read", "/etc").isEmpty)
        for key in ["hide", "devices"] { #expect(try warnings(key, "/home").isEmpty) }
    }

    @Test(
        "a grant of a service's socket, or of a directory that has one, is a warning",
        arguments: [
            ("Docker", ["/run/docker.sock", "/var/run/docker.sock", "/run", "/var/run"]),
            ("containerd", ["/run/containerd/containerd.sock", "/var/run/containerd"]),
            ("the system bus", ["/run/dbus/system_bus_socket", "/run/dbus"]),
            (
                "the session bus",
                ["/run/user/7/bus", "/run/user/7", "/run/user", "/x/runtime/bus", "/x", "/"]
            ),
        ])
    func sockets(_ service: String, paths: [String]) throws {
        for path in paths {
            let warnings = try warnings("sockets", path)
            #expect(warnings.map(\.code) == [.wideGrant], "\(path)")
            #expect(
                warnings.first?.message.contains("the socket of \(service) ") == true, "\(path)")
        }
    }

    @Test(
        "another socket is not one of a service",
        arguments: [
            "/run/postgresql/.s.PGSQL.5432", "/run/user/7/app", "/run/user/7/bus/x", "/run/docker",
            "/runs", "/x/runtime/app", "/var",
        ])
    func otherSockets(path: String) throws {
        #expect(try warnings("sockets", path).isEmpty)
    }

    @Test(
        "keys that apply only to tasks with the profile `none` are a warning",
        arguments: [
            ("nice: 1", "", "", 1), ("nice: 1", "nice: 2", "nice: 3", 3),
            ("nice: 1", "nice: 2", "profile: strict", 0),
            ("nice: 1", "profile: strict", "profile: none, nice: 2", 2),
            ("profile: strict", "profile: none, nice: 1", "", 1),
            ("profile: none, nice: 1", "profile: none", "profile: default", 0),
            ("profile: none", "profile: none", "profile: none", 0), ("", "read: []", "", 0),
        ])
    func unused(manifest: String, plugin: String, task: String, count: Int) throws {
        let text = Sample.text(
            task: "confine: {\(task)}", rest: "confine: {\(manifest)}\n"
        ).replacing("exec: hello-c", with: "exec: {path: hello-c, confine: {\(plugin)}}")
        let codes = try read(text).warnings.map(\.code)
        #expect(codes == Array(repeating: .unusedConfinement, count: count))
    }

    @Test("without HOME, `~` is refused, and other paths are read")
    func home() throws {
        let text = Sample.text(task: "confine: {read: [~/x]}")
        #expect(throws: ManifestProblems.self) { try read(text, home: "relative") }
        let other = try read(text.replacing("~/x", with: "./x"), home: "relative").manifest
        #expect(other.tasks.first?.confinement.read == ["/srv/app/x"])
    }

    @Test("a missing file is a warning only if files are checked; one that is hidden is not")
    func missingFiles() throws {
        let lines = "confine: {profile: default, read: [./x], hide: [./y]}"
        #expect(Sample.codes(Array(Sample.text(task: lines).utf8)) == [.missingFile])
        #expect(try read(Sample.text(task: lines)).warnings.isEmpty)
    }
}
