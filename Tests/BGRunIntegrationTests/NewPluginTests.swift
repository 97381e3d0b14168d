// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `Scripts/check-kits` builds and runs the written projects.
@Suite("The project of a new plugin", .timeLimit(.minutes(5)))
struct NewPluginTests {
    @Test(
        "every language has a manifest, a test and a README with the given names",
        arguments: ["c", "cpp", "swift", "rust", "zig", "go", "python"])
    func written(language: String) async throws {
        try await Sandbox.with { box in
            let project = box.directory + "/deep/photo-export"
            let new = try await box.start([
                "plugin", "new", "--lang", language, "--identifier", "org.test.photos", project,
            ]).end()
            #expect(new.code == 0, "\(new.error)")
            #expect(new.output.hasPrefix("Wrote \(project): README.md, "))
            let files = try FileManager.default.subpathsOfDirectory(atPath: project)
            #expect(Set(files).isSuperset(of: ["README.md", "photo-export.yaml", "test.sh"]))
            #expect(FileManager.default.isExecutableFile(atPath: project + "/test.sh"))
            for file in files {
                #expect(!file.contains("kit-"))
                let text = try? String(contentsOfFile: "\(project)/\(file)", encoding: .utf8)
                #expect(text?.contains("kit-") != true, "\(file)")
            }
            let manifest = try String(
                contentsOfFile: project + "/photo-export.yaml", encoding: .utf8)
            #expect(manifest.contains("app: org.test.photos\n"))
            #expect(manifest.contains("  org.test.photos.count:\n"))
        }
    }

    @Test("every file of a kit is written")
    func complete() async throws {
        let kits = Built.package + "/Kits"
        for language in try FileManager.default.contentsOfDirectory(atPath: kits)
        where language != "common" && language != "README.md" {
            try await Sandbox.with { box in
                let new = try await box.start([
                    "plugin", "new", "--lang", language, box.directory + "/kit-name",
                ]).end()
                #expect(new.code == 0, "\(new.error)")
                for file in try FileManager.default.subpathsOfDirectory(
                    atPath: kits + "/" + language)
                {
                    let path = "\(box.directory)/kit-name/\(file)"
                    #expect(FileManager.default.fileExists(atPath: path), "\(language)/\(file)")
                }
            }
        }
    }

    @Test("an existing file is named, and nothing is written")
    func exists() async throws {
        try await Sandbox.with { box in
            let project = box.directory + "/photos"
            try FileManager.default.createDirectory(
                atPath: project, withIntermediateDirectories: false)
            try "mine".write(toFile: project + "/Makefile", atomically: true, encoding: .utf8)
            let new = try await box.start(["plugin", "new", "--lang", "c", project]).end()
            #expect(new.code == 77)
            #expect(
                new.error == """
                    bgrun: \(project)/Makefile exists; nothing was written. Name another directory, \
                    or move it away

                    """)
            #expect(try FileManager.default.contentsOfDirectory(atPath: project) == ["Makefile"])
            #expect(try String(contentsOfFile: project + "/Makefile", encoding: .utf8) == "mine")
        }
    }

    @Test("a project is written into a directory with other files, which stay")
    func beside() async throws {
        try await Sandbox.with { box in
            let project = box.directory + "/photos"
            try FileManager.default.createDirectory(
                atPath: project, withIntermediateDirectories: false)
            try "mine".write(toFile: project + "/notes", atomically: true, encoding: .utf8)
            let new = try await box.start(["plugin", "new", "--lang", "c", project + "/"]).end()
            #expect(new.code == 0, "\(new.error)")
            #expect(FileManager.default.fileExists(atPath: project + "/plugin.c"))
            #expect(FileManager.default.fileExists(atPath: project + "/notes"))
        }
    }

    @Test(
        "a name that Cargo, Go, SwiftPM or a linker would refuse is refused",
        arguments: [
            "Photos", "2photos", "photo_export", "photo--export", "photo-", "-", "a b", "ä",
        ])
    func names(name: String) async throws {
        try await Sandbox.with { box in
            let project = box.directory + "/" + name
            let new = try await box.start(["plugin", "new", "--lang", "c", project]).end()
            #expect(new.code == 64)
            #expect(new.error.hasPrefix("bgrun: \"\(name)\" is not a plugin name; write "))
            #expect(!FileManager.default.fileExists(atPath: project))
        }
    }

    @Test(
        "a missing or malformed argument exits with 64",
        arguments: [
            ["--lang", "c"], ["--lang", "cobol", "photos"], ["photos"],
            ["--lang", "c", "--identifier", "org..photos", "photos"],
            ["--lang", "c", "--identifier", "org.photos!"],
            ["--lang", "c", String(repeating: "a", count: 65)],
        ])
    func usage(_ arguments: [String]) async throws {
        try await Sandbox.with { box in
            let new = try await box.startShell(
                "cd '\(box.directory)' && exec \"$BGRUN\" plugin new "
                    + arguments.map { "'\($0)'" }.joined(separator: " ")
            ).end()
            #expect(new.code == 64, "\(new.error)")
            #expect(new.output.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: box.directory).isEmpty)
        }
    }

    @Test("the default name is the last part of the identifier")
    func named() async throws {
        try await Sandbox.with { box in
            let new = try await box.startShell(
                "cd '\(box.directory)' && exec \"$BGRUN\" plugin new --lang python "
                    + "--identifier org.test.photos"
            ).end()
            #expect(new.code == 0, "\(new.error)")
            #expect(FileManager.default.fileExists(atPath: box.directory + "/photos/photos.yaml"))
        }
    }

    @Test("a directory that cannot be written exits with 74 and the reason")
    func unwritable() async throws {
        try await Sandbox.with { box in
            try "".write(toFile: box.directory + "/file", atomically: true, encoding: .utf8)
            let project = box.directory + "/file/photos"
            let new = try await box.start(["plugin", "new", "--lang", "c", project]).end()
            #expect(new.code == 74)
            #expect(new.error.hasPrefix("bgrun: \(project)/README.md could not be written: "))
        }
    }
}
