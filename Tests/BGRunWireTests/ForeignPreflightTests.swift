// SPDX-License-Identifier: Apache-2.0

import BGRunWire
import Foundation
import Testing

@Suite("What shows on this machine without loading a library")
struct ForeignPreflightTests {
    /// The problems of calls to these functions; files have what `files` says, others are broken.
    private func problems(
        _ library: String, _ functions: [String] = ["f"], files: [String: [String]] = [:],
        needed: [String] = [], libraryPath: String = ""
    ) -> [String] {
        let preflight = ForeignPreflight(directory: "/app", libraryPath: libraryPath) {
            (path) throws(ForeignMistake) in
            let key = files[path] == nil ? String(path.split(separator: "/").last ?? "") : path
            guard let exports = files[key] else { throw ForeignMistake("\(path) is broken") }
            return ForeignPreflight.LibraryFile(
                needed: path.hasPrefix("/app") ? needed : [], exports: exports.contains)
        }
        let calls = functions.map { ForeignCall(library: library, function: $0) }
        return preflight.problems(of: ForeignProgram(calls: calls)).map(\.description)
    }

    @Test(
        "a library the linker knows by name is looked at where the linker finds it",
        arguments: ["libc.so.6", "libz.so.1"])
    func known(library: String) {
        #expect(problems(library, files: [library: ["f"]]) == [])
        #expect(problems(library, files: [library: []]).count == 1)
    }

    @Test("a name the linker does not know is told once, with what to do")
    func unknown() {
        #expect(
            problems("libbgrun-absent.so.9", ["f", "g"]) == [
                "call 1, f: the dynamic linker does not know a library 'libbgrun-absent.so.9'. "
                    + "Install the package that has it and run ldconfig, or give the path of its "
                    + "file"
            ])
    }

    @Test("a name is looked for in the worker's library path first")
    func libraryPath() throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-preflight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("libz.so.1").path
        try Data().write(to: URL(fileURLWithPath: path))
        let files = [path: ["own"], "libz.so.1": ["f"]]
        #expect(
            problems("libz.so.1", ["own"], files: files, libraryPath: "/absent:\(directory.path)")
                == [])
        #expect(problems("libz.so.1", ["own"], files: files).count == 1)
    }

    @Test("a path starts at the manifest's directory, and why it cannot be used is told once")
    func path() {
        #expect(problems("./own.so", files: ["/app/./own.so": ["f"]]) == [])
        #expect(problems("/opt/own.so", files: ["/opt/own.so": ["f"]]) == [])
        #expect(
            problems("./own.so", ["f", "g"]) == [
                "call 1, f: library './own.so' cannot be used: /app/./own.so is broken"
            ])
    }

    @Test("each missing function is told, with where to look")
    func functions() {
        #expect(
            problems("./own.so", ["g"], files: ["/app/./own.so": ["f"]]) == [
                "call 1, g: library './own.so' has no function 'g'. Look for the name in: "
                    + "nm -D --defined-only /app/./own.so"
            ])
        #expect(
            problems("./own.so", ["f", "g", "h", "g"], files: ["/app/./own.so": ["f"]]).map {
                $0.prefix(9)
            } == ["call 2, g", "call 3, h"])
    }

    @Test("a function of a library it is linked with counts, as it does for the linker")
    func needed() {
        let files = ["/app/./own.so": [], "libc.so.6": ["f"]]
        #expect(problems("./own.so", ["f"], files: files, needed: ["libc.so.6"]) == [])
        #expect(problems("./own.so", ["g"], files: files, needed: ["libc.so.6"]).count == 1)
    }

    @Test("nothing is said about functions when a library it is linked with cannot be seen")
    func unseen() {
        let files = ["/app/./own.so": [String]()]
        #expect(problems("./own.so", files: files, needed: ["libbgrun-absent.so.9"]) == [])
    }

    @Test("the static problems come first")
    func staticProblems() {
        let preflight = ForeignPreflight(directory: "/") { (path) throws(ForeignMistake) in
            throw ForeignMistake(path)
        }
        let program = ForeignProgram(calls: [
            ForeignCall(library: "libbgrun-absent.so.9", function: "f", result: "r")
        ])
        #expect(
            preflight.problems(of: program).map(\.message).first
                == "a void function has no result to name")
    }
}
