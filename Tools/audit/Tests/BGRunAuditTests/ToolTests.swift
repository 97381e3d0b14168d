// SPDX-License-Identifier: Apache-2.0

import BGRunAudit
import Foundation
import Testing

/// The command, as people and programs run it.
@Suite(.timeLimit(.minutes(5))) struct ToolTests {
    @Test func `Exit codes tell clean code, findings, what is not Swift and what is not there`()
        throws
    {
        let box = try Box()
        defer { box.remove() }
        try box.write("clean.swift", "let a = 1\n")
        try box.write("bad.swift", Self.bad)
        try box.write("broken.swift", "func {\n")
        #expect(try box.run(["clean.swift"]).code == 0)
        #expect(try box.run(["bad.swift"]).code == 1)
        #expect(try box.run([]).code == 64)
        #expect(try box.run(["--json", "--sarif", "bad.swift"]).code == 64)
        #expect(try box.run(["nowhere.swift"]).code == 66)
        let mixed = try box.run(["."])
        #expect(mixed.code == 65)
        #expect(
            mixed.error == "bgrun-audit: ./broken.swift:1:6: this is not Swift, file left out\n")
        #expect(mixed.output.contains("./bad.swift:5:5: warning: `sleep` blocks the thread"))
    }

    @Test func `Directories are searched, but for hidden ones and tests`() throws {
        let box = try Box()
        defer { box.remove() }
        try box.write("Sources/App/Bad.swift", Self.bad)
        try box.write(".build/checkouts/Bad.swift", Self.bad)
        try box.write("Tests/BadTests.swift", "import Testing\n" + Self.bad)
        let ending = try box.run(["."])
        #expect(ending.output.contains("1 finding in 1 file"))
        #expect(try box.run(["Tests/BadTests.swift"]).code == 1)
    }

    @Test func `An Info.plist says what is listed`() throws {
        let box = try Box()
        defer { box.remove() }
        try box.write(
            "Info.plist",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>BGTaskSchedulerPermittedIdentifiers</key>
            <array><string>com.example.refresh</string></array>
            <key>UIBackgroundModes</key><array><string>fetch</string></array>
            <key>CFBundleName</key><string>Example</string>
            </dict></plist>
            """)
        try box.write(
            "a.swift", "let r = BGAppRefreshTaskRequest(identifier: \"com.example.Refresh\")\n")
        let ending = try box.run(["--info-plist", "Info.plist", "a.swift"])
        #expect(ending.code == 1)
        #expect(
            ending.output.contains(
                "\"com.example.Refresh\" is not in Info.plist; it lists \"com.example.refresh\""))
        #expect(try box.run(["--fix", "--info-plist", "Info.plist", "a.swift"]).code == 0)
        #expect(
            try box.read("a.swift")
                == "let r = BGAppRefreshTaskRequest(identifier: \"com.example.refresh\")\n")
        try box.write("Broken.plist", "no plist")
        #expect(try box.run(["--info-plist", "Broken.plist", "a.swift"]).code == 65)
        #expect(try box.run(["--info-plist", "None.plist", "a.swift"]).code == 66)
    }

    @Test func `The description of a manifest by bgrun counts like an Info.plist`() throws {
        let box = try Box()
        defer { box.remove() }
        try box.write(
            "a.swift",
            """
            func schedule() {
                let request = BGAppRefreshTaskRequest(identifier: "org.test.refresh")
                request.earliestBeginDate = .now + 60
            }
            """)
        let listing = """
            {"identifiers":["org.test.refresh"],"kinds":{"org.test.refresh":"app-refresh"},\
            "modes":[],"refreshFloor":0,"source":"app.yaml"}
            """
        let ending = try box.run(["--declared", listing, "a.swift"])
        #expect(ending.output.contains("the mode \"fetch\", which app.yaml does not list"))
        // The manifest's policy has no spacing.
        #expect(ending.output.contains("1 finding in 1 file"))
        #expect(try box.run(["--declared", "{}", "a.swift"]).code == 65)
    }

    @Test func `The list has every rule, and the version is bgrun's`() throws {
        let list = try Tool.run(["--list-rules"])
        #expect(list.code == 0)
        #expect(list.output.split(separator: "\n").count == allRules.count)
        for rule in allRules { #expect(list.output.contains(rule.sentence)) }
        let source = try String(
            contentsOf: Fixture.repository.appending(path: "Sources/Protocol/Version.swift"),
            encoding: .utf8)
        let version = try Tool.run(["--version"]).output.trimmingCharacters(in: .newlines)
        #expect(source.contains("\"\(version)\""))
    }

    private static let bad = """
        import BackgroundTasks

        func clean(task: BGProcessingTask) {
            task.expirationHandler = { stop() }
            sleep(1)
            task.setTaskCompleted(success: true)
        }

        """
}

/// A directory for one test.
private struct Box {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "bgrun-audit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    func write(_ path: String, _ text: String) throws {
        let file = directory.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func read(_ path: String) throws -> String {
        try String(contentsOf: directory.appending(path: path), encoding: .utf8)
    }

    func run(_ arguments: [String]) throws -> Tool.Ending {
        try Tool.run(arguments, in: directory)
    }
}
