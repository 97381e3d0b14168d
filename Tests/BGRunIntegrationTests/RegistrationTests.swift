// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Registrations of a plugin", .timeLimit(.minutes(5)))
struct RegistrationTests {
    private static let plist: [String: any Sendable] = [
        "CFBundleIdentifier": "org.test", "UIBackgroundModes": ["fetch", "processing"],
        "BGTaskSchedulerPermittedIdentifiers": [
            "org.test.cleanup", "org.test.feed", "org.test.index", "org.test.Extra",
            "org.test.export.*", "org.test.own",
        ],
    ]

    @Test("import reads the registrations from the plugin, and its manifest runs")
    func imports() async throws {
        let plugin = try await Built.registering.value
        try await Sandbox.with { box in
            let file = try Self.write(Self.plist, box)
            let made = try await box.run(["import", file, "--plugin", plugin, "-o", box.manifest])
            #expect(made.code == 0, "\(made.error)")
            let yaml = try String(contentsOfFile: box.manifest, encoding: .utf8)
            for part in [
                """
                  org.test.cleanup:
                    kind: app-refresh  # as the plugin asks for it
                    handler: app
                    every: 20m  # earliestBeginDate of the request it makes at launch
                """,
                """
                  org.test.feed:
                    kind: processing  # as the plugin asks for it
                    handler: app
                    every: 2h  # earliestBeginDate of the request it makes at launch
                    requires: {power: external, network: any}
                """,
                """
                  org.test.index:
                    kind: processing  # guessed from "index" in its name; compare it with the \
                BGTaskRequest in the app's code
                    handler: app
                    # every: 1d  # what the app's code asks for: earliestBeginDate
                    # requires: {power: external, network: any}  # requiresExternalPower, ...
                """,
                "  org.test.export.*:\n    kind: continued",
                "  org.test.own:\n    kind: processing",
                """
                #  - the permitted identifier org.test.Extra: the plugin registers no handler for it at \
                its launch; did you mean "org.test.extra"?
                """,
                """
                #  - the plugin registers org.test.extra, which BGTaskSchedulerPermittedIdentifiers \
                does not list: register returns false; did you mean "org.test.Extra"?
                """,
            ] {
                #expect(yaml.contains(part), "\(part)\nin:\n\(yaml)")
            }
            #expect(!yaml.contains("  org.test.Extra:\n"))

            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.code == 0, "\(lint.error)")
            try
                (yaml + "policy: {profile: server}\ndevice: {power: external, network: unmetered}\n")
                .write(toFile: box.manifest, atomically: true, encoding: .utf8)
            let run = try await box.run("run", "--once")
            #expect(run.code == 0, "\(run.error)")
            for task in ["cleanup", "feed", "index"] {
                #expect(try await box.attempt("org.test.\(task)").outcome == "completed")
            }
        }
    }

    @Test("import without a registered identifier says which ones the plugin registers")
    func importsNothing() async throws {
        let plugin = try await Built.registering.value
        try await Sandbox.with { box in
            let list: [String: any Sendable] = [
                "CFBundleIdentifier": "org.test",
                "BGTaskSchedulerPermittedIdentifiers": ["org.test.Cleanup"],
            ]
            let file = try Self.write(list, box)
            let made = try await box.run(["import", file, "--plugin", plugin, "-o", box.manifest])
            #expect(made.code == 65)
            #expect(made.error.contains("has nothing to import: "), "\(made.error)")
            #expect(made.error.contains("did you mean \"org.test.cleanup\"?"), "\(made.error)")
            #expect(!FileManager.default.fileExists(atPath: box.manifest))
        }
    }

    @Test("import finds a relative plugin from the directory of the manifest it writes")
    func importsElsewhere() async throws {
        let plugin = try await Built.registering.value
        try await Sandbox.with { box in
            _ = try Self.write(Self.plist, box)
            try FileManager.default.copyItem(atPath: plugin, toPath: box.directory + "/app.so")
            try FileManager.default.createDirectory(
                atPath: box.directory + "/sub", withIntermediateDirectories: false)
            for (output, path) in [
                ("sub/m.yaml", box.directory + "/app.so"), ("m.yaml", "app.so"),
                ("sub/../n.yaml", "app.so"),
            ] {
                let made = try await box.startShell(
                    "cd '\(box.directory)' && $BGRUN import Info.plist --plugin app.so -o \(output)"
                ).end()
                #expect(made.code == 0, "\(made.error)")
                let manifest = box.directory + "/" + output
                let yaml = try String(contentsOfFile: manifest, encoding: .utf8)
                #expect(yaml.contains("plugins:\n  app: \"\(path)\"\n"), "\(yaml)")
                let lint = try await box.start(["lint", manifest]).end()
                #expect(lint.code == 0, "\(lint.error)")
            }
        }
    }

    @Test(
        "import makes a task of a fetch handler, unless a refresh task fetches",
        arguments: [[], ["org.fetch.refresh", "org.fetch.index"]])
    func importsFetch(_ permitted: [String]) async throws {
        let plugin = try await Built.registering.value
        try await Sandbox.with { box in
            let file = try Self.write(
                [
                    "CFBundleIdentifier": "org.fetch",
                    "UIBackgroundModes": ["fetch", "processing"],
                    "BGTaskSchedulerPermittedIdentifiers": permitted,
                ], box)
            let made = try await box.run(["import", file, "--plugin", plugin, "-o", box.manifest])
            #expect(made.code == 0, "\(made.error)")
            let yaml = try String(contentsOfFile: box.manifest, encoding: .utf8)
            let (name, reason) =
                permitted.isEmpty
                ? ("fetch", "for background fetches; added by the import")
                : ("refresh", "guessed from \"refresh\" in its name")
            let task = "tasks:\n  org.fetch.\(name):\n    kind: app-refresh  # \(reason)\n"
            #expect(yaml.contains(task + "    handler: app\n"), "\(yaml)")
            #expect(yaml.components(separatedBy: "    kind: ").count == 2, "\(yaml)")
            let dropped = "org.fetch.index: the plugin registers no handler"
            #expect(yaml.contains(dropped) == !permitted.isEmpty, "\(yaml)")
            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.code == 0, "\(lint.error)")
        }
    }

    private static func write(_ plist: [String: any Sendable], _ box: Sandbox) throws -> String {
        let file = box.directory + "/Info.plist"
        try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: file))
        return file
    }

    @Test(
        "a handler is logged as registered once its plugin has registered it, before its task starts"
    )
    func logs() async throws {
        let plugin = try await Built.registering.value
        try await Sandbox.with { box in
            try box.write(
                plugins: ["app": plugin], rest: "policy: {profile: server}",
                tasks: """
                    org.test.index: {kind: processing, handler: app}
                    org.test.missing: {kind: processing, handler: app, submit: manual}
                    org.test.export.*: {kind: continued, handler: app}
                    """)
            let host = try box.start("run", "--stay")
            try await host.line("Task completed with identifier org.test.index")
            try await box.run("submit", "org.test.export.late")
            try await host.line("Task completed with identifier org.test.export.late")
            let run = await host.stop()
            let words = run.error.split(separator: "\n").map { $0.dropFirst(9) }
            let of = { (identifier: String) in
                words.filter { $0.contains(identifier) && $0.contains(" task with identifier") }
                    .map { $0.prefix { $0 != " " } }
            }
            #expect(
                of("org.test.index").prefix(3) == ["Scheduling", "Registered", "Starting"],
                "\(run.error)")
            #expect(!of("org.test.missing").contains("Registered"))
            // A handler that is registered after the start of its task is logged then.
            #expect(
                of("org.test.export.late") == ["Scheduling", "Starting", "Registered"],
                "\(run.error)")
        }
    }

    @Test("lint and doctor name a task without a handler in its plugin, and the nearest handler")
    func lints() async throws {
        let plugins = ["app": try await Built.registering.value, "c": try Built.plugin("hello-c")]
        try await Sandbox.with { box in
            try box.write(
                plugins: plugins,
                tasks: """
                    org.test.Index: {kind: processing, handler: app}
                    org.test.extra: {kind: processing, handler: app}
                    org.test.feed: {kind: processing, handler: app.refresh}
                    org.test.hello: {kind: processing, handler: c.gret}
                    org.test.fine: {kind: processing, handler: c.greet}
                    org.test.push: {kind: push, handler: app}
                    org.test.export.*: {kind: continued, handler: app}
                    """)
            // Like an SDK, the plugin registers only permitted tasks: org.test.index is not permitted.
            try box.changeManifest(
                "[org.test.*]",
                to: "[org.test.Index, org.test.extra, org.test.feed, org.test.hello, "
                    + "org.test.fine, org.test.push, org.test.export.*]")
            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.code == 77)
            for line in [
                "the plugin \"app\" registers no handler for org.test.Index",
                "did you mean \"org.test.index\"?",
                "registers a handler for org.test.extra only when it is loaded without the manifest",
                "the plugin \"app\" has no handler \"refresh\"; it registers default",
                "write `handler: app`:", "the plugin \"c\" has no handler \"gret\"",
                "write `handler: c.greet`",
            ] {
                #expect(lint.error.contains(line), "\(line)\nin:\n\(lint.error)")
            }
            #expect(lint.error.components(separatedBy: "error: ").count == 5, "\(lint.error)")
            let doctor = try await box.run("doctor")
            #expect(doctor.output.contains("registers no handler for org.test.Index"))
        }
    }

    @Test("a plugin without a permitted task has no handler in lint, doctor and the log")
    func permitsNone() async throws {
        let plugins = ["app": try await Built.registering.value]
        try await Sandbox.with { box in
            try box.write(
                plugins: plugins, rest: "policy: {profile: server}",
                tasks: "org.test.cleanu: {kind: app-refresh, handler: app}")
            try box.changeManifest("[org.test.*]", to: "[org.test.cleanu]")
            let missing = "registers no handler for org.test.cleanu"
            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.code == 77)
            for line in [missing, "did you mean \"org.test.cleanup\"?"] {
                #expect(lint.error.contains(line), "\(line)\nin:\n\(lint.error)")
            }
            #expect(try await box.run("doctor").output.contains(missing))
            let run = try await box.run("run", "--once")
            #expect(run.error.contains("Starting task with identifier org.test.cleanu"))
            #expect(!run.error.contains("Registered"), "\(run.error)")
        }
    }

    @Test("plugin inspect shows the tasks that a plugin registers")
    func inspects() async throws {
        let plugin = try await Built.registering.value
        try await Sandbox.with { box in
            let run = try await box.start(["plugin", "inspect", plugin]).end()
            #expect(
                run.output.contains(
                    "tasks     org.test.cleanup, org.test.feed, org.test.index, org.test.extra\n"),
                "\(run.output)")
        }
    }
}
