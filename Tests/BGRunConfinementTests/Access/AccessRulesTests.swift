// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunPolicy
import Testing

@Suite("What a confined handler may do", .timeLimit(.minutes(10)))
struct AccessRulesTests {
    private static func decision(
        _ text: String, _ machine: SampleMachine = SampleMachine(),
        _ change: (inout ConfinementKeys) -> Void = { _ in }
    ) throws -> AccessDecision {
        let request = try #require(
            AccessRequest(text, in: "/home/ada/app", home: "/home/ada"), "\(text)")
        return machine.rules(change).decision(on: request)
    }

    @Test(
        "by default: system files and the manifest's directory, but not what decides what runs next",
        arguments: [
            ("read:/etc/passwd", true, "/etc may only be read (profile default)"),
            ("execute:/usr/bin/tar", true, "/usr may only be read (profile default)"),
            ("write:/usr/bin/tar", false, "/usr may only be read (profile default)"),
            ("write:new", false, "/home/ada/app may only be read (profile default)"),
            (
                "read:./notes.yaml", true,
                "/home/ada/app/notes.yaml may only be read (it decides what runs next)"
            ),
            (
                "write:notes.yaml", false,
                "/home/ada/app/notes.yaml may only be read (it decides what runs next)"
            ),
            ("write:/tmp/x", true, "/tmp is the worker's own (profile default)"),
            ("write:/dev/null", true, "/dev/null may be written (profile default)"),
            ("read:~/notes", false, "/home/ada is hidden (profile default)"),
            ("read:/srv/app.sock", false, "nothing shows /srv/app.sock"),
            (
                "read:/home/ada/state/org.test/bgrun.sqlite", false,
                "/home/ada/state/org.test is hidden (the app's state)"
            ),
            (
                "write:/home/ada/state/org.test/home/x", true,
                "/home/ada/state/org.test/home may be written (the app's data)"
            ),
            ("connect:443", true, "it may connect to any TCP port (profile default)"),
            ("listen:80", false, "it may not listen on TCP ports (profile default)"),
            ("udp", true, "it may use UDP (profile default)"),
            ("socket:/run/app.sock", false, "/run is hidden (profile default)"),
        ])
    func standard(_ text: String, _ isAllowed: Bool, _ reason: String) throws {
        let decision = try Self.decision(text)
        #expect(decision.isAllowed == isAllowed)
        #expect(decision.reason == reason)
        #expect(decision.layers.isEmpty == isAllowed)
        #expect(decision.weakness == nil)
    }

    @Test("strict grants no directory of the user and no network; none grants all")
    func profiles() throws {
        for text in ["read:/home/ada/app/list", "connect:443", "udp", "socket:/run/app.sock"] {
            #expect(!(try Self.decision(text) { $0.profile = .strict }.isAllowed), "\(text)")
            #expect(try Self.decision(text) { $0.profile = Confinement.Profile.none }.isAllowed)
        }
        #expect(try Self.decision("execute:/usr/bin/tar") { $0.profile = .strict }.isAllowed)
    }

    @Test(
        "a denial names the nearest grant, and the grant allows it",
        arguments: [
            ("read:~/notes", "confine: {read: [/home/ada/notes]}"),
            ("write:~/photos/a.tar", "confine: {write: [/home/ada/photos]}"),
            ("write:~/link/a/b", "confine: {write: [/home/ada/photos]}"),
            ("execute:~/photos", "confine: {read: [/home/ada/photos]}"),
            ("socket:/run/app.sock", "confine: {sockets: [/run/app.sock]}"),
            ("listen:80", "confine: {network: {listen: [80]}}"),
        ])
    func grants(_ text: String, _ grant: String) throws {
        #expect(try Self.decision(text).grant == grant)
        let list = String(grant.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" })
        let allowed = try Self.decision(text) { keys in
            if grant.contains("{read:") { keys.read = [list] }
            if grant.contains("{write:") { keys.write = [list] }
            if grant.contains("{sockets:") { keys.sockets = [list] }
            if grant.contains("network") {
                keys.network = Confinement.Network(listen: [UInt16(list) ?? 0])
            }
        }
        #expect(allowed.isAllowed)
        #expect(allowed.key != nil)
        #expect(allowed.grant == nil)
    }

    @Test("a grant of the network keeps what is granted already")
    func networkGrants() throws {
        let network = Confinement.Network(connect: [443], listen: [8080], udp: false)
        let connect = try Self.decision("connect:80") { $0.network = network }
        #expect(
            connect.grant
                == "confine: {network: {connect: [80, 443], listen: [8080], udp: false}}")
        #expect(connect.reason == "it may connect to TCP ports 443 (`network` in `confine`)")
        let udp = try Self.decision("udp") { $0.network = Confinement.Network.none }
        #expect(udp.grant == "confine: {network: {connect: []}}")
        #expect(udp.layers == [.namespaces, .seccomp])
    }

    @Test("no grant is named for what no key can grant")
    func withoutGrant() throws {
        for text in [
            "write:notes.yaml", "read:/home/ada/state/org.test/bgrun.sqlite",
            "socket:/run/docker.sock",
        ] {
            let decision = try Self.decision(text)
            #expect(!decision.isAllowed && decision.grant == nil, "\(text)")
            #expect(decision.advice == nil, "\(text)")
        }
        let hidden = try Self.decision("read:~/photos") {
            $0.read = ["/home/ada"]
            $0.hide = ["/home/ada/photos"]
        }
        #expect(!hidden.isAllowed && hidden.grant == nil && hidden.key == "hide")
    }

    @Test(
        "a wide grant is not proposed",
        arguments: [
            "write:/new/file", "write:/etc/new", "write:/usr/new", "write:/usr/bin/tar",
            "write:/home/new", "write:/root/new", "write:~/new", "read:~", "read:/root",
            "read:/home",
            "read:~/.ssh", "read:~/.ssh/id", "write:~/.ssh/new", "read:~/.config", "read:/run/../",
        ])
    func wide(_ text: String) throws {
        var machine = SampleMachine()
        machine.directories.formUnion(["/home/ada/.ssh", "/home/ada/.config"])
        machine.files.insert("/home/ada/.ssh/id")
        let decision = try Self.decision(text, machine)
        #expect(!decision.isAllowed && decision.grant == nil)
        #expect(decision.advice == "create a directory for it and grant that")
    }

    @Test("a path that YAML reads otherwise is quoted")
    func quotes() throws {
        var machine = SampleMachine()
        machine.directories.insert("/srv/my, \"own\"")
        let decision = try Self.decision("read:/srv/my, \"own\"", machine)
        #expect(decision.grant == #"confine: {read: ["/srv/my, \"own\""]}"#)
    }

    @Test("the layers that deny something depend on the machine")
    func layers() throws {
        var machine = SampleMachine()
        #expect(try Self.decision("read:~/notes", machine).layers == [.namespaces, .landlock])
        #expect(try Self.decision("read:/srv", machine).layers == [.landlock])
        #expect(try Self.decision("write:/srv", machine).layers == [.namespaces, .landlock])
        #expect(try Self.decision("write:/dev/sda", machine).layers == [.landlock])
        #expect(try Self.decision("listen:80", machine).layers == [.landlock])
        machine.layers.landlock = 3
        let port = try Self.decision("listen:80", machine)
        #expect(port.layers.isEmpty)
        #expect(port.weakness == "Landlock ABI 3 does not limit TCP ports")
        machine.layers.landlock = 0
        #expect(try Self.decision("read:~/notes", machine).layers == [.namespaces])
        #expect(try Self.decision("read:/srv", machine).weakness == "this machine lacks Landlock")
        machine.layers.namespaceProblem = "EPERM"
        let file = try Self.decision("read:~/notes", machine)
        #expect(!file.isAllowed && file.layers.isEmpty)
        #expect(file.weakness == "this machine lacks namespaces (EPERM), Landlock")
        #expect(
            try Self.decision("socket:/srv/app.sock", machine).weakness
                == "no layer limits sockets that are not hidden")
    }

    @Test("without namespaces /tmp and /proc are the machine's")
    func shared() throws {
        var machine = SampleMachine()
        machine.layers.namespaceProblem = "EPERM"
        let temporary = try Self.decision("write:/tmp/x", machine)
        #expect(temporary.isAllowed)
        #expect(
            temporary.reason == "/tmp is the machine's: namespaces do not work (profile default)")
        #expect(
            try Self.decision("read:/proc/1/comm", machine).reason
                == "/proc shows the machine's processes: namespaces do not work (profile default)")
    }

    @Test("names the limits without effect")
    func notLimited() {
        var layers = SampleMachine().layers
        #expect(layers.notLimited(isRoot: false).isEmpty)
        #expect(layers.notLimited(isRoot: true) == ["tasks": "it runs as root"])
        layers.namespaceProblem = "EPERM"
        let reason = "namespaces do not work"
        for isRoot in [false, true] {
            let reasons = layers.notLimited(isRoot: isRoot)
            #expect(reasons == ["tasks": reason, "temporary": reason])
        }
    }

    @Test("without namespaces nothing can be created beside the manifest")
    func besideManifest() throws {
        var machine = SampleMachine()
        machine.layers.namespaceProblem = "EPERM"
        let new = try Self.decision("write:new", machine) { $0.write = ["/home/ada/app"] }
        #expect(!new.isAllowed)
        #expect(new.layers == [.landlock])
        #expect(new.reason.contains("/home/ada/app/notes.yaml in it has other rights"))
        #expect(
            try Self.decision("write:list", machine) { $0.write = ["/home/ada/app"] }.isAllowed)
    }
}
