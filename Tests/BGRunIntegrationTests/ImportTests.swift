// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Importing an Info.plist", .timeLimit(.minutes(5)))
struct ImportTests {
    private static let photos: [String: any Sendable] = [
        "CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)",
        "CFBundleName": "Photos",
        "NSCameraUsageDescription": "for pictures",
        "UIBackgroundModes": ["fetch", "processing", "audio", "remote-notification"],
        "BGTaskSchedulerPermittedIdentifiers": [
            "$(PRODUCT_BUNDLE_IDENTIFIER).refresh", "com.example.photos.db-cleanup",
            "com.example.photos.export.*", "com.example.photos.refresh", "no identifier",
        ],
    ]

    @Test(
        "XML and binary give the same manifest, and it has no errors",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func formats(_ format: PropertyListSerialization.PropertyListFormat) async throws {
        try await Sandbox.with { box in
            let file = try Self.write(Self.photos, format, box)
            let run = try await box.run(
                ["import", file, "--app", "com.example.photos", "-o", box.manifest])
            #expect(run.code == 0, "\(run.error)")
            let yaml = try String(contentsOfFile: box.manifest, encoding: .utf8)
            for line in [
                "app: com.example.photos", "modes: [fetch, processing, remote-notification]",
                "  com.example.photos.refresh:\n    kind: app-refresh",
                "  com.example.photos.db-cleanup:\n    kind: processing",
                "  com.example.photos.export.*:\n    kind: continued",
                "  com.example.photos.push:\n    kind: push",
                "#  - the background mode audio: ", "#  - CFBundleName: ",
                "#  - NSCameraUsageDescription: ",
                "#  - the permitted identifier no identifier: ",
                "#  - the permitted identifier com.example.photos.refresh, which is listed twice",
            ] {
                #expect(yaml.contains(line), "\(line) in:\n\(yaml)")
            }
            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.code == 0)
            #expect(lint.output == "\(box.manifest): no errors\n")
            #expect(lint.error.isEmpty, "\(lint.error)")
        }
    }

    @Test("-o - is standard output")
    func standardOutput() async throws {
        try await Sandbox.with { box in
            let file = box.directory + "/crontab"
            try "0 3 * * * true\n".write(toFile: file, atomically: true, encoding: .utf8)
            let plain = try await box.start(["import", file]).end()
            let named = try await box.start(["import", file, "-o", "-"]).end()
            #expect(plain.code == 0 && plain.output.contains("tasks:"))
            #expect(named.code == 0 && named.output == plain.output)
        }
    }

    @Test("a manifest, a scenario and a library are refused by their kinds")
    func otherKinds() async throws {
        try await Sandbox.with { box in
            let file = box.directory + "/file"
            for (text, kind) in [
                ("# mine\nbgrun: 1\napp: a.b\n", "bgrun manifest"), ("scenario: 1\n", "scenario"),
                ("\u{7F}ELF\u{2}", "shared library or program"),
            ] {
                try text.write(toFile: file, atomically: true, encoding: .utf8)
                let run = try await box.start(["import", file]).end()
                #expect(run.code == 65)
                #expect(
                    run.error.hasPrefix(
                        "bgrun: \(file) is a \(kind), not a file of another scheduler"),
                    "\(run.error)")
                #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
            }
        }
    }

    @Test("a binary property list that contains itself, or one value many times, is refused")
    func endless() async throws {
        func list(_ objects: [[UInt8]]) -> Data {
            var bytes = Data("bplist00".utf8)
            let offsets = objects.map { object in
                defer { bytes += object }
                return UInt8(bytes.count)
            }
            let table = UInt8(bytes.count)
            let count = UInt8(objects.count)
            bytes += offsets
            bytes += [0, 0, 0, 0, 0, 0, 1, 1] as [UInt8]
            for number in [count, 0, table] {
                bytes += [UInt8](repeating: 0, count: 7)
                bytes.append(number)
            }
            return bytes
        }
        // Each array names the next one twice.
        let doubled: [[UInt8]] = (0..<40).map { [0xA2, $0 + 1, $0 + 1] } + [[0x09]]
        for bytes in [list([[0xD1, 1, 0], [0x51, 0x61]]), list([[0xA1, 0]]), list(doubled)] {
            try await Sandbox.with { box in
                let file = box.directory + "/Info.plist"
                try bytes.write(to: URL(filePath: file))
                let run = try await box.start(["import", file, "-o", box.manifest]).end()
                #expect(run.code == 65, "\(run)")
            }
        }
    }

    @Test("the created project runs, and each task reports that it has no handler yet")
    func runs() async throws {
        try await Sandbox.with { box in
            let file = try Self.write(
                [
                    "CFBundleIdentifier": "com.a.b", "UIBackgroundModes": ["processing"],
                    "BGTaskSchedulerPermittedIdentifiers": ["com.a.b.cleanup"],
                ], .xml, box)
            #expect(try await box.start(["import", file, "-o", box.manifest]).end().code == 0)
            let yaml = try String(contentsOfFile: box.manifest, encoding: .utf8)
            try (yaml + "policy: {profile: server}\ndevice: {power: external}\n").write(
                toFile: box.manifest, atomically: true, encoding: .utf8)
            let run = try await box.run("run", "--once")
            #expect(run.code == 1)
            #expect(run.error.contains("com.a.b.cleanup has no handler yet"), "\(run.error)")
        }
    }

    @Test("an existing file is not overwritten")
    func keeps() async throws {
        try await Sandbox.with { box in
            let file = try Self.write(Self.photos, .xml, box)
            try "mine".write(toFile: box.manifest, atomically: true, encoding: .utf8)
            let run = try await box.run(
                ["import", file, "--app", "com.example.photos", "-o", box.manifest])
            #expect(run.code == 74)
            #expect(run.error.contains("exists, and is not overwritten"))
            #expect(try String(contentsOfFile: box.manifest, encoding: .utf8) == "mine")
        }
    }

    @Test("a variable of Xcode gets its value from --app or --define")
    func variables() async throws {
        try await Sandbox.with { box in
            let bundle = try Self.write(Self.photos, .xml, box)
            let without = try await box.start(["import", bundle]).end()
            #expect(without.code == 65)
            #expect(without.error.contains("give --app com.example.app"))
            let file = try Self.write(
                [
                    "CFBundleIdentifier": "com.${TEAM}.$(PRODUCT_NAME:rfc1034identifier)",
                    "BGTaskSchedulerPermittedIdentifiers": ["a.refresh"],
                ], .xml, box)
            let half = try await box.start(["import", file, "--define", "TEAM=acme"]).end()
            #expect(half.code == 65)
            #expect(half.error.contains("give --define PRODUCT_NAME=VALUE"))
            let both = try await box.run(
                ["import", file, "--define", "TEAM=acme", "--define", "PRODUCT_NAME=My App"])
            #expect(both.code == 0, "\(both.error)")
            #expect(both.output.contains("app: com.acme.My-App\n"), "\(both.output)")
        }
    }

    @Test("an existing plugin is written into the manifest, and a missing one is refused")
    func plugin() async throws {
        let plugin = try Built.plugin("hello-c")
        try await Sandbox.with { box in
            let file = try Self.write(Self.photos, .xml, box)
            let arguments = ["import", file, "--app", "com.example.photos", "--plugin"]
            let good = try await box.start(arguments + [plugin]).end()
            #expect(good.code == 0, "\(good.error)")
            #expect(good.output.contains("handler: app.greet  # guessed; the plugin has greet\n"))
            let missing = box.directory + "/none.so"
            // The plugin is checked before the file to import.
            for path in [file, "/no/such/Info.plist"] {
                let bad = try await box.start(["import", path, "--plugin", missing]).end()
                #expect(bad.code == 66)
                #expect(
                    bad.error == "bgrun: --plugin: the file \(missing) cannot be read: "
                        + "No such file or directory\n")
                #expect(bad.output.isEmpty)
            }
        }
    }

    @Test("in a directory, which may be missing, the manifest is named after its app")
    func directory() async throws {
        try await Sandbox.with { box in
            let file = try Self.write(Self.photos, .xml, box)
            for output in [box.directory, box.directory + "/made/"] {
                let arguments = ["import", file, "--app", "com.example.photos", "-o", output]
                let run = try await box.start(arguments).end()
                #expect(run.code == 0, "\(run.error)")
                let made = output + (output.hasSuffix("/") ? "" : "/") + "com.example.photos.yaml"
                #expect(run.error.hasSuffix("at the end of \(made)\n"), "\(run.error)")
                #expect(try await box.start(["lint", made]).end().code == 0)
                #expect(try await box.start(arguments).end().code == 74)
            }
        }
    }

    static let deep = String(repeating: "<array>", count: 90_000)

    @Test(
        "another file is refused with advice",
        arguments: [
            ("<nonsense", "is not a property list"), ("", "is not a property list"),
            ("<plist version='1.0'><array/></plist>", "no dictionary"),
            ("<plist><dict><key>a</key><string>b</string></dict></plist>", "give --app"),
            (
                "{CFBundleIdentifier = \"a.b\"; UIBackgroundModes = audio;}",
                "is not an array of strings"
            ),
            ("{CFBundleIdentifier = \"a.b\"; UIBackgroundModes = (audio);}", "nothing to import"),
            (
                "{CFBundleIdentifier = \"a.b\"; BGTaskSchedulerPermittedIdentifiers = (\"a b\");}",
                "has nothing to import: the permitted identifier a b: not made of"
            ),
            ("{CFBundleIdentifier = \"a b\";}", "is not an app identifier"),
            ("{CFBundleIdentifier = \"a.$b.$(open\";}", "is not an app identifier"),
            ("{CFBundleIdentifier = \"$()\";}", "has a variable Xcode replaces"),
            ("<plist>" + deep + "</plist>", "nested more than 64 levels"),
            (String(repeating: "(", count: 90_000), "nested more than 64 levels"),
            (String(repeating: " ", count: 1 << 21), "larger than 1 MiB"),
        ])
    func refused(_ text: String, _ message: String) async throws {
        try await Sandbox.with { box in
            let file = box.directory + "/Info.plist"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let run = try await box.start(["import", file]).end()
            #expect(run.code == 65, "\(run.error)")
            #expect(run.error.contains(message), "\(run.error)")
            #expect(run.output.isEmpty)
        }
    }

    @Test("a missing file exits with 66")
    func missing() async throws {
        try await Sandbox.with { box in
            for path in [box.directory, "/no/such/Info.plist"] {
                let ended = try await box.start(["import", path]).end()
                #expect(ended.code == 66)
            }
        }
    }

    private static func write(
        _ plist: [String: any Sendable], _ format: PropertyListSerialization.PropertyListFormat,
        _ box: Sandbox
    ) throws -> String {
        let data = try PropertyListSerialization.data(
            fromPropertyList: plist, format: format, options: 0)
        let file = box.directory + "/Info.plist"
        try data.write(to: URL(fileURLWithPath: file))
        return file
    }
}
