// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A temporary directory of one test, which `deinit` removes. It is below a directory that only this
/// user can write, so that the checks of the parent directories pass.
final class FixtureDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/bgrun-plugin-file-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template), "mkdtemp: errno \(errno)")
        path = String(cString: try #require(realpath(made, nil)))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file of mode 0644 and returns its path.
    func write(_ name: String, _ bytes: some Sequence<UInt8>, mode: mode_t = 0o644) throws -> String
    {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(filePath: file))
        try setMode(file, mode)
        return file
    }

    func makeDirectory(_ name: String, mode: mode_t) throws -> String {
        let directory = path + "/" + name
        try #require(mkdir(directory, 0o700) == 0)
        try setMode(directory, mode)
        return directory
    }

    func setMode(_ path: String, _ mode: mode_t) throws {
        try #require(chmod(path, mode) == 0)
    }
}

/// Shared libraries, compiled once with the C compiler of this machine.
enum Compiled {
    static let plugin = Result {
        try library(
            """
            #include <stdint.h>
            const void *bgrun_plugin_entry(uint32_t version) { return version ? &version : 0; }
            int other_function(void) { return 1; }
            int some_data = 3;
            static int hidden(void) { return 2; }
            int uses_hidden(void) { return hidden(); }
            """, ["-Wl,-soname,libfixture.so.1", "-Wl,--no-as-needed", "-lm"])
    }
    static let withoutEntry = Result { try library("int other_function(void) { return 1; }", []) }
    static let withoutExports = Result { try library("static int x; int *p(void);", []) }
    static let entryIsData = Result { try library("int bgrun_plugin_entry = 1;", []) }
    static let entryIsHidden = Result {
        try library(
            "__attribute__((visibility(\"hidden\"))) int bgrun_plugin_entry(void) { return 1; }",
            [])
    }
    static let entryIsUndefined = Result {
        try library(
            "int bgrun_plugin_entry(void); int f(void) { return bgrun_plugin_entry(); }", [])
    }
    static let weakEntry = Result {
        try library("__attribute__((weak)) int bgrun_plugin_entry(void) { return 1; }", [])
    }
    static let stripped = Result { try library(entry, ["-s"]) }
    static let sysvHash = Result { try library(entry, ["-Wl,--hash-style=sysv"]) }
    static let gnuHash = Result { try library(entry, ["-Wl,--hash-style=gnu"]) }
    static let small = Result { try library(entry, ["-s", "-nostdlib", "-Wl,-z,noseparate-code"]) }
    static let executable = Result {
        try compile("int main(void) { return 0; }", ["-fPIE", "-pie"])
    }
    static let fixedExecutable = Result {
        try compile("int main(void) { return 0; }", ["-fno-PIE", "-no-pie"])
    }
    static let object = Result { try compile("int f(void) { return 0; }", ["-c"]) }
    static let notLoadable = Result { try library(entry, ["-Wl,-z,nodlopen"]) }

    private static let entry = "int bgrun_plugin_entry(unsigned v) { return (int)v; }"

    private static func library(_ source: String, _ arguments: [String]) throws -> [UInt8] {
        try compile(source, ["-shared", "-fPIC"] + arguments)
    }

    private static func compile(_ source: String, _ arguments: [String]) throws -> [UInt8] {
        let directory = try FixtureDirectory()
        let input = try directory.write("source.c", source.utf8)
        let output = directory.path + "/output"
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["cc", "-w", input, "-o", output] + arguments
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0, "cc failed for: \(source)")
        return [UInt8](try Data(contentsOf: URL(filePath: output)))
    }
}
