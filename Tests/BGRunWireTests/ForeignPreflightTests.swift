// SPDX-License-Identifier: Apache-2.0

import BGRunWire
import Foundation
import Testing

@Suite("What shows on this machine without loading a library")
struct ForeignPreflightTests {
    private func problems(
        _ library: String, in directory: String = "/", libraryPath: String? = nil
    ) -> [String] {
        ForeignPreflight.problems(
            ForeignProgram(calls: [
                ForeignCall(library: library, function: "f"),
                ForeignCall(library: library, function: "g"),
            ]), directory: directory, libraryPath: libraryPath
        ).map(\.description)
    }

    /// A new directory with one file `own.so` of these bytes.
    private func directory(with bytes: [UInt8]) throws -> URL {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-preflight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data(bytes).write(to: url.appendingPathComponent("own.so"))
        return url
    }

    /// The head of this process's executable, as a shared library.
    private func head() throws -> [UInt8] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/exe"))
        var bytes = Array(try #require(try file.read(upToCount: 64)))
        bytes.replaceSubrange(16...17, with: bytes[5] == 2 ? [0, 3] : [3, 0])
        return bytes
    }

    @Test(
        "a library the linker knows by name has no problem", arguments: ["libc.so.6", "libz.so.1"])
    func known(library: String) {
        #expect(problems(library) == [])
    }

    @Test("a name the linker does not know is told once, with what to do")
    func unknown() {
        #expect(
            problems("libbgrun-absent.so.9") == [
                "call 1, f: the dynamic linker does not know a library 'libbgrun-absent.so.9'. "
                    + "Install the package that has it and run ldconfig, or give the path of its "
                    + "file"
            ])
    }

    @Test("a name is also looked for in the worker's library path")
    func libraryPath() throws {
        let directory = try directory(with: head())
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(problems("own.so").count == 1)
        #expect(problems("own.so", libraryPath: "/absent:\(directory.path)") == [])
    }

    @Test("a path starts at the manifest's directory")
    func path() throws {
        let directory = try directory(with: head())
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(problems("./own.so", in: directory.path) == [])
        #expect(
            problems("./other.so", in: directory.path) == [
                "call 1, f: library '\(directory.path)/./other.so' cannot be opened: No such file "
                    + "or directory. Build it, or correct the path"
            ])
        #expect(
            problems(directory.path) == [
                "call 1, f: library '\(directory.path)' is not a regular file"
            ])
    }

    @Test("a file that is no shared library", arguments: [[], Array("text".utf8)])
    func noLibrary(bytes: [UInt8]) throws {
        let directory = try directory(with: bytes)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("own.so").path
        #expect(problems(path) == ["call 1, f: '\(path)' is not a shared library"])
    }

    @Test("a library for another machine")
    func otherMachine() throws {
        var head = try head()
        head[18] ^= 0x40
        let directory = try directory(with: head)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("own.so").path
        #expect(
            problems(path).first?
                .hasPrefix("call 1, f: library '\(path)' is for another machine than this one: ")
                == true)
    }

    @Test("the static problems come first")
    func staticProblems() {
        let program = ForeignProgram(calls: [
            ForeignCall(library: "libbgrun-absent.so.9", function: "f", result: "r")
        ])
        #expect(
            ForeignPreflight.problems(program, directory: "/").map(\.message).first
                == "a void function has no result to name")
    }
}
