// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import Testing

@Suite("Changes of a manifest", .timeLimit(.minutes(10)))
struct ManifestChangeTests {
    /// A manifest with a task of these settings, in flow style.
    private static func manifest(
        _ settings: String, plugins: String = "{p: ./p.so}", directory: String = "/d"
    ) throws -> Manifest {
        try read(text(settings, plugins: plugins), in: directory)
    }

    private static func text(_ settings: String, plugins: String = "{p: ./p.so}") -> String {
        """
        bgrun: 1
        app: org.test.app
        modes: [processing, fetch, remote-notification]
        permitted_identifiers: [org.test.*]
        plugins: \(plugins)
        tasks:
          org.test.a: {\(settings)}
          org.test.p: {kind: push, handler: p.h}
        """
    }

    private static func read(_ text: String, in directory: String = "/d") throws -> Manifest {
        try ManifestReader.read(
            bytes: Array(text.utf8), path: "app.yaml", directory: directory,
            options: ManifestReader.Options(checksFiles: false)
        ).manifest
    }

    private static let settings =
        "kind: processing, handler: p.h, parameters: {n: 1}, environment: {E: x}"

    private static func change(
        _ settings: String, plugins: String = "{p: ./p.so}", directory: String = "/d"
    ) throws -> ManifestChange {
        ManifestChange(
            from: try manifest(Self.settings),
            to: try manifest(settings, plugins: plugins, directory: directory))
    }

    private static func runsAlike(_ change: ManifestChange) -> Bool {
        change.runsAlike("org.test.a", declared: "org.test.a")
    }

    @Test(
        "an attempt continues if it would be started in the same way",
        arguments: ["", ", earliest: 1h", ", requires: {network: any}", ", retry: never"])
    func alike(_ more: String) throws {
        #expect(Self.runsAlike(try Self.change(Self.settings + more)))
    }

    @Test(
        "an attempt does not continue if it would be started in another way",
        arguments: [
            ("processing", "app-refresh"), ("p.h", "p.other"), ("n: 1", "n: 2"), ("E: x", "E: y"),
            ("E: x}", "E: x}, confine: strict"),
        ])
    func different(_ then: String, _ now: String) throws {
        let settings = Self.settings.replacing(then, with: now)
        #expect(settings != Self.settings)
        #expect(!Self.runsAlike(try Self.change(settings)))
    }

    @Test("an attempt without a plugin does not continue in another directory")
    func directory() throws {
        let call = "kind: processing, call: {library: libc.so.6, function: sync}"
        for (directory, isAlike) in [("/d", true), ("/e", false)] {
            let change = ManifestChange(
                from: try Self.manifest(call), to: try Self.manifest(call, directory: directory))
            #expect(Self.runsAlike(change) == isAlike)
        }
    }

    @Test("an attempt whose plugin is another file does not continue")
    func plugin() throws {
        #expect(!Self.runsAlike(try Self.change(Self.settings, plugins: "{p: ./q.so}")))
        #expect(!Self.runsAlike(try Self.change(Self.settings, directory: "/e")))
    }

    @Test("an attempt continues if its keys of `confine` move between manifest, plugin and task")
    func confinement() throws {
        func text(manifest: String, plugin: String, task: String) -> String {
            Self.text(
                Self.settings + ", confine: {\(task)}",
                plugins: "{p: {path: ./p.so, confine: {\(plugin)}}}"
            )
            .replacing("bgrun: 1", with: "bgrun: 1\nconfine: {\(manifest)}")
        }
        let texts = [
            text(manifest: "profile: strict, nice: 1", plugin: "", task: ""),
            text(manifest: "nice: 2", plugin: "profile: strict", task: "nice: 1"),
            text(manifest: "", plugin: "nice: 1", task: "profile: strict"),
        ]
        let other = text(manifest: "profile: strict, nice: 1", plugin: "nice: 2", task: "")
        let first = try Self.read(texts[0])
        for text in texts {
            #expect(Self.runsAlike(ManifestChange(from: first, to: try Self.read(text))))
        }
        #expect(!Self.runsAlike(ManifestChange(from: first, to: try Self.read(other))))
    }

    @Test(
        "a task is new if it was added, is no longer submitted by hand, or has new dates",
        arguments: [
            ("submit: manual", "submit: launch", true), ("submit: launch", "submit: manual", false),
            ("submit: launch", "cron: '0 * * * *'", true), ("submit: launch", "every: 1h", true),
            ("cron: '0 * * * *'", "cron: '5 * * * *'", false),
            ("submit: launch", "submit: launch", false),
        ])
    func added(_ then: String, _ now: String, isAdded: Bool) throws {
        let change = ManifestChange(
            from: try Self.manifest(Self.settings + ", " + then),
            to: try Self.manifest(Self.settings + ", " + now))
        #expect(change.added == (isAdded ? ["org.test.a"] : []))
    }

    @Test(
        "a manifest with other content does not say the same",
        arguments: [
            ("app: org.test.app", "app: org.test.other"), (", fetch", ""), ("./p.so", "./q.so"),
            ("[org.test.*]", "[org.test.*, org.more.*]"), ("{n: 1}", "{n: 2}"),
            ("bgrun: 1", "bgrun: 1\nuser: backup"), ("bgrun: 1", "bgrun: 1\ngroup: backup"),
            ("bgrun: 1", "bgrun: 1\npolicy: {profile: server}"),
            ("bgrun: 1", "bgrun: 1\ndevice: {network: none}"),
            ("bgrun: 1", "bgrun: 1\nhooks: [{on: [gave-up], run: 'true'}]"),
            ("bgrun: 1", "bgrun: 1\npush: {inbox: ./inbox}"),
            ("bgrun: 1", "bgrun: 1\nconfine: {nice: 1}"),
            ("h, parameters", "h, confine: strict, parameters"),
            ("./p.so", "{path: ./p.so, confine: strict}"),
            (
                "bgrun: 1",
                "bgrun: 1\ntransfers: {org.test.f: {download: 'https://example.org/f', to: f}}"
            ),
        ])
    func changed(_ then: String, _ now: String) throws {
        let text = Self.text(Self.settings)
        let other = text.replacing(then, with: now)
        #expect(other != text)
        let manifest = try Self.read(text)
        #expect(try !Self.read(other).saysTheSame(as: manifest))
        #expect(try !Self.read(text, in: "/e").saysTheSame(as: manifest))
        #expect(try Self.read("# a comment\n" + text).saysTheSame(as: manifest))
    }
}
