// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import Foundation

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a manifest of an iOS app's Info.plist.",
        discussion: """
            Takes over the permitted identifiers and the background modes. What a task is, and when it \
            runs, stands in the app's code and not in its Info.plist: that is guessed, and each guess \
            and all that is left out is a comment of the manifest. XML, binary and old-style property \
            lists are read. A file that exists is never overwritten.
            """)

    @Argument(help: "The Info.plist.", completion: .file(extensions: ["plist"]))
    var file: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where the manifest is written. Default: standard output.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The app's identifier, in place of CFBundleIdentifier; also what "
                + "$(PRODUCT_BUNDLE_IDENTIFIER) stands for.", valueName: "identifier"))
    var app: String?

    @Option(
        help: ArgumentHelp(
            "What a build variable of the file stands for: $(NAME).", valueName: "name=value"))
    var define: [String] = []

    @Option(
        help: ArgumentHelp(
            "The plugin that holds the handlers. Default: commands stand in for them.",
            valueName: "file"), completion: .file(extensions: ["so"]))
    var plugin: String?

    func validate() throws {
        for definition in define where !definition.dropFirst().contains("=") {
            throw ValidationError("--define takes a name and a value, such as TEAM=ABCDE")
        }
    }

    func run() throws {
        let manifest = try imported()
        let yaml = manifest.yaml
        try check(yaml)
        if let output {
            try write(yaml, to: output)
        } else {
            print(yaml, terminator: "")
        }
        if !manifest.notes.isEmpty {
            let place = output.map { "the end of \($0)" } ?? "the end"
            complain("what was left out or added is listed at \(place)")
        }
    }

    private func imported() throws -> ImportedManifest {
        let variables = BuildVariables(
            values: Dictionary(
                define.map { line in
                    let words = line.split(separator: "=", maxSplits: 1)
                    return (String(words[0]), words.count > 1 ? String(words[1]) : "")
                }, uniquingKeysWith: { $1 }))
        do {
            let plist = try InfoPlist(path: file)
            return try ImportedManifest(
                plist, path: file, app: app, variables: variables, plugin: plugin)
        } catch let problem as InfoPlist.Problem {
            complain(LogText.visible(problem.message))
            throw problem.isMissing ? Exit.noInput : Exit.badData
        } catch let problem as ImportedManifest.Problem {
            complain(LogText.visible(problem.message))
            throw Exit.badData
        }
    }

    /// A manifest that could not be used is not written: a plugin that is not there, for example.
    private func check(_ yaml: String) throws {
        let path = output ?? "manifest.yaml"
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do throws(ManifestProblems) {
            _ = try ManifestReader.read(
                bytes: Array(yaml.utf8), path: path, directory: directory, options: .installed())
        } catch {
            Diagnostics.show(error.diagnostics)
            throw Exit.badData
        }
    }

    private func write(_ yaml: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            complain(
                errno == EEXIST
                    ? "\(path) exists, and is not overwritten; give another name with -o"
                    : "\(path) cannot be written: \(String(cString: strerror(errno)))")
            throw Exit.ioError
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(yaml.utf8))
        } catch {
            complain("\(path) cannot be written: \(error.localizedDescription)")
            throw Exit.ioError
        }
    }
}
