// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunProtocol

@Suite("The preflight of foreign programs", .timeLimit(.minutes(10)))
struct ForeignPreflightTests {
    /// The reasons that prevent calls to these functions: "call 0: message; remedy". `files` lists the
    /// functions of each file; other files are broken; a path in `refused` must not be loaded.
    private func obstacles(
        _ library: String, _ functions: [String] = ["f"], files: [String: Set<String>] = [:],
        variables: Set<String> = [], needed: [String] = [], refused: Set<String> = [],
        libraryPath: String = ""
    ) -> [String] {
        let preflight = ForeignPreflight(
            directory: "/app", libraryPath: libraryPath,
            files: ForeignPreflight.Files(
                objection: { path in
                    refused.contains(path) ? ForeignObstacle("anyone", remedy: "chmod it") : nil
                },
                read: { (path, names) throws(ForeignObstacle) in
                    let last = String(path.split(separator: "/").last ?? "")
                    guard let functions = files[path] ?? files[last] else {
                        throw ForeignObstacle("\(path) is broken", remedy: "mend it")
                    }
                    return ForeignPreflight.LibraryFile(
                        needed: path.hasPrefix("/app") ? needed : [],
                        functions: functions.intersection(names),
                        variables: variables.intersection(names))
                }))
        let calls = functions.map { ForeignCall(library: library, function: $0) }
        return preflight.obstacles(to: ForeignProgram(calls: calls)).map {
            "call \($0.call): \($0.message); \($0.remedy)"
        }
    }

    @Test(
        "a library that the linker knows by name is read where the linker finds it",
        arguments: ["libc.so.6", "libz.so.1"])
    func known(library: String) {
        #expect(obstacles(library, files: [library: ["f"]]) == [])
        #expect(obstacles(library, files: [library: []]).count == 1)
    }

    @Test("a name that the linker does not know is reported once, with advice")
    func unknown() {
        #expect(
            obstacles("libbgrun-absent.so.9", ["f", "g"]) == [
                "call 0: the dynamic linker does not know a library 'libbgrun-absent.so.9'; "
                    + "install the package that has it and run ldconfig, or give the path of its "
                    + "file"
            ])
    }

    @Test("a name is searched in the worker's library path first")
    func libraryPath() throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-preflight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("libz.so.1").path
        try Data().write(to: URL(fileURLWithPath: path))
        let files: [String: Set<String>] = [path: ["own"], "libz.so.1": ["f"]]
        #expect(
            obstacles("libz.so.1", ["own"], files: files, libraryPath: "/absent:\(directory.path)")
                == [])
        #expect(obstacles("libz.so.1", ["own"], files: files).count == 1)
    }

    @Test("a path starts at the manifest's directory, and its error is reported once")
    func path() {
        #expect(obstacles("./own.so", files: ["/app/./own.so": ["f"]]) == [])
        #expect(obstacles("/opt/own.so", files: ["/opt/own.so": ["f"]]) == [])
        #expect(
            obstacles("./own.so", ["f", "g"]) == [
                "call 0: library './own.so' cannot be used: /app/./own.so is broken; mend it"
            ])
    }

    @Test("each missing function is reported, with where to look")
    func functions() {
        #expect(
            obstacles("./own.so", ["g"], files: ["/app/./own.so": ["f"]]) == [
                "call 0: library './own.so' has no function 'g'; look for the name in: "
                    + "nm -D --defined-only /app/./own.so"
            ])
        #expect(
            obstacles("./own.so", ["f", "g", "h", "g"], files: ["/app/./own.so": ["f"]]).map {
                $0.prefix(6)
            } == ["call 1", "call 2"])
    }

    @Test("a function of a dependency counts, as for the linker")
    func needed() {
        let files: [String: Set<String>] = ["/app/./own.so": [], "libc.so.6": ["f"]]
        #expect(obstacles("./own.so", ["f"], files: files, needed: ["libc.so.6"]) == [])
        #expect(obstacles("./own.so", ["g"], files: files, needed: ["libc.so.6"]).count == 1)
    }

    @Test("functions are not reported if a dependency cannot be read")
    func unseen() {
        let files: [String: Set<String>] = ["/app/./own.so": []]
        #expect(obstacles("./own.so", files: files, needed: ["libbgrun-absent.so.9"]) == [])
    }

    @Test("a variable in place of a function is reported as a variable")
    func variable() {
        #expect(
            obstacles("libc.so.6", ["environ"], files: ["libc.so.6": []], variables: ["environ"])
                == [
                    "call 0: 'environ' in library 'libc.so.6' is a variable, not a function; "
                        + "name a function of the library's header"
                ])
    }

    @Test("only a library with a path is checked for trust")
    func objection() {
        #expect(
            obstacles("./own.so", files: ["/app/./own.so": ["f"]], refused: ["/app/./own.so"]) == [
                "call 0: library './own.so' may not be loaded: anyone; chmod it"
            ])
        let path = LinkerCache.system?.path(of: "libc.so.6")
        #expect(
            obstacles(
                "libc.so.6", files: ["libc.so.6": ["f"]], refused: Set([path].compactMap(\.self)))
                == [])
    }
}
