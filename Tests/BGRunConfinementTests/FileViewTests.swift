// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunConfinement

@Suite("what a confined handler sees", .timeLimit(.minutes(5)))
struct FileViewTests {
    private static let writable = FileRules.Rule.shown(writable: true, isFile: false)
    private static let readable = FileRules.Rule.shown(writable: false, isFile: false)
    private static let guarded = FileRules.Rule.shown(writable: false, isFile: true)

    @Test(
        "the manifest's directory is readable, and guards itself in a directory granted for writing"
    )
    func manifestDirectory() {
        #expect(FileView.played().rules["/home/ada/app"] == Self.readable)
        var keys = ConfinementKeys.standard
        keys.write = ["/home/ada/app"]
        let rules = FileView.played(keys).rules
        #expect(rules["/home/ada/app"] == Self.writable)
        for file in ["app.yaml", "one.so", "two.so"] {
            #expect(rules["/home/ada/app/" + file] == Self.guarded)
        }
    }

    @Test("directories with files of others are not shown for a manifest in them")
    func others() {
        for directory in ["/tmp", "/var", "/run", "/state", "/dev", "/proc"] {
            let rules = FileView.played(.standard, plugin: nil, .played(directory: directory)).rules
            #expect(rules[directory] != Self.readable, "\(directory)")
        }
        var keys = ConfinementKeys.standard
        keys.read = ["/proc", "/tmp"]
        let granted = FileView.played(keys).rules
        #expect(granted["/proc"] == .processes && granted["/tmp"] == Self.readable)
    }

    @Test("a manifest in a home does not grant the home")
    func homeAsDirectory() {
        let view = FileView.played(.standard, plugin: nil, .played(directory: "/home/ada"))
        #expect(view.rules["/home/ada"] == .hidden)
        #expect(view.rules.nearest(to: "/home/ada/.ssh")?.rule == .hidden)
        var machine = PlayedMachine()
        machine.files.insert("/home/ada/three.so")
        let plugin = FileView.played(.standard, plugin: "/home/ada/three.so", machine: machine)
        #expect(plugin.rules["/home/ada"] == .hidden)
        #expect(plugin.rules["/home/ada/three.so"] == Self.guarded)
        let root = FileView.played(.standard, plugin: nil, .played(directory: "/"))
        #expect(root.rules["/"] == nil)
    }

    @Test("homes, the state of all apps and the run directory are hidden")
    func hidden() {
        let rules = FileView.played().rules
        for path in [
            "/home/ada/.ssh", "/root", "/state/other", "/state/app/bgrun.sqlite", "/run/bus",
        ] {
            #expect(rules.nearest(to: path)?.rule == .hidden, "\(path)")
        }
        #expect(rules["/state/app/home"] == Self.writable)
        #expect(rules.nearest(to: "/srv/one")?.rule == .hidden)
        #expect(rules.nearest(to: "/usr/bin")?.rule == Self.readable)
    }

    @Test("no grant reveals the app's state or makes a guarded file writable")
    func grants() {
        var keys = ConfinementKeys.standard
        keys.write = ["/state", "/state/app", "/home/ada/app/app.yaml", "/home/ada/app/one.so"]
        keys.read = ["/srv", "/missing"]
        let view = FileView.played(keys)
        #expect(view.rules["/state/app"] == .hidden)
        #expect(view.rules["/home/ada/app/app.yaml"] == Self.guarded)
        #expect(view.rules["/home/ada/app/one.so"] == Self.guarded)
        #expect(view.rules["/srv"] == Self.readable)
        #expect(view.missing == ["/missing"])
        keys.read = ["/state/app/bgrun.sqlite", "/state/app/journal"]
        var machine = PlayedMachine()
        machine.files.formUnion(keys.read)
        let state = FileView.played(keys, machine: machine)
        #expect(state.rules.nearest(to: "/state/app/bgrun.sqlite")?.path == "/state/app")
    }

    @Test("a granted link grants its target")
    func links() {
        var keys = ConfinementKeys.standard
        keys.write = ["/data"]
        var machine = PlayedMachine()
        machine.links = ["/data": "/srv"]
        let view = FileView.played(keys, machine: machine)
        #expect(view.rules["/srv"] == Self.writable)
        #expect(view.rules["/data"] == nil)
    }

    @Test("`hide` hides what other keys grant above it")
    func hide() {
        var keys = ConfinementKeys.standard
        keys.hide = ["/home/ada/app/old"]
        #expect(FileView.played(keys).rules["/home/ada/app/old"] == .hidden)
    }

    @Test("a strict handler sees neither the manifest's directory nor services of the machine")
    func strict() {
        let view = FileView.played(.profile(.strict), plugin: "/lib/bgrun/exec.so")
        #expect(view.rules.nearest(to: "/home/ada/app/notes.txt")?.rule == .hidden)
        #expect(view.rules.nearest(to: "/run/systemd/resolve")?.rule == .hidden)
        #expect(FileView.played().rules["/run/systemd/resolve"] == Self.readable)
    }
}

/// In a writable directory, a handler can rename directories and replace links.
@Suite("files that decide what runs next", .timeLimit(.minutes(5)))
struct GuardedFileTests {
    private static let readable = FileRules.Rule.shown(writable: false, isFile: false)

    private static func view(_ guarded: String, _ machine: PlayedMachine) -> FileView {
        var keys = ConfinementKeys.standard
        keys.write = ["/home/ada/app"]
        return .played(keys, .played(guarded: [guarded]), machine: machine)
    }

    @Test("the directories between a guarded file and the writable directory cannot be renamed")
    func directories() {
        var machine = PlayedMachine()
        machine.files.insert("/home/ada/app/old/deep/three.so")
        machine.added = ["/home/ada/app/old/deep"]
        let view = Self.view("/home/ada/app/old/deep/three.so", machine)
        #expect(view.pinned == ["/home/ada/app/old", "/home/ada/app/old/deep"])
        #expect(
            view.rules["/home/ada/app/old/deep/three.so"] == .shown(writable: false, isFile: true))
        #expect(view.rules["/home/ada/app/old"] == .shown(writable: true, isFile: false))
    }

    @Test("a directory with a link in a guarded path is read-only, and so is the target")
    func links() {
        var machine = PlayedMachine()
        machine.files.insert("/home/ada/app/old/three.so")
        machine.links = ["/home/ada/app/now": "/home/ada/app/old"]
        let view = Self.view("/home/ada/app/now/three.so", machine)
        #expect(view.rules["/home/ada/app"] == Self.readable)
        #expect(view.rules["/home/ada/app/old/three.so"] == .shown(writable: false, isFile: true))
    }

    @Test("a directory in which a guarded file is missing is read-only: nothing may create it")
    func missing() {
        let view = Self.view("/home/ada/app/old/three.so", PlayedMachine())
        #expect(view.rules["/home/ada/app/old"] == Self.readable)
        #expect(view.rules["/home/ada/app"] == .shown(writable: true, isFile: false))
    }

    @Test("secrets of the app are hidden, whatever is granted")
    func secrets() throws {
        var keys = ConfinementKeys.standard
        keys.read = ["/home/ada/app/notes.txt"]
        let site = ConfinementSite.played(secrets: ["/home/ada/app/notes.txt"])
        let view = FileView.played(keys, site)
        #expect(view.rules["/home/ada/app/notes.txt"] == .hidden)
        #expect(view.hiddenFiles == ["/home/ada/app/notes.txt"])
    }

    @Test("`hide` hides files")
    func hide() {
        var keys = ConfinementKeys.standard
        keys.hide = ["/home/ada/app/notes.txt"]
        let view = FileView.played(keys)
        #expect(view.rules["/home/ada/app/notes.txt"] == .hidden)
        #expect(view.hiddenFiles == ["/home/ada/app/notes.txt"])
    }
}
