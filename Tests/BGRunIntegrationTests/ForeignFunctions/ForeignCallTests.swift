// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Foreign calls from a manifest", .timeLimit(.minutes(5)))
struct ForeignCallTests {
    @Test("qsort compares through a callback, and the sorted buffer is saved")
    func callback() throws {
        let scene = try Scene()
        try scene.declare([
            (
                "sort",
                """
                calls:
                - library: libc.so.6
                  function: memcpy
                  args:
                  - {name: numbers, buffer: {capacity: 4B, save: sorted}}
                  - {hex: "04030201"}
                  - {length_of: numbers}
                  returns: pointer
                - library: libc.so.6
                  function: qsort
                  args:
                  - {value_of: numbers}
                  - {u64: 4}
                  - {u64: 1}
                  - callback: {parameters: [pointer, pointer], returns: i32, value: 0, log: true}
                """
            )
        ])
        let run = try scene.run()
        #expect(try run.attempt("sort").outcome == "completed")
        let comparisons = run.lines(of: "sort").filter { $0.hasPrefix("qsort called back (0x") }
        // Four values need at least three comparisons.
        #expect(comparisons.count >= 3)
        #expect(scene.contents("sorted")?.sorted() == [1, 2, 3, 4])
    }

    @Test("the worker of a program that left nothing behind runs the next program")
    func reuse() throws {
        let scene = try Scene()
        try scene.declare(
            ["first", "second", "third"].map {
                ($0, "call: {library: libc.so.6, function: getpid, returns: i32}")
            })
        let run = try scene.run()
        #expect(run.status == 0)
        let processes = ["first", "second", "third"].map { run.lines(of: $0) }
        #expect(processes[0].first?.hasPrefix("getpid returned ") == true)
        #expect(Set(processes).count == 1)
    }

    @Test("a relative path in a string starts at the manifest's directory")
    func directory() throws {
        let scene = try Scene()
        try scene.write("present", "")
        try scene.declare([
            (
                "access",
                """
                call:
                  library: libc.so.6
                  function: access
                  args: [present, {i32: 4}]
                  returns: i32
                  success: errno
                """
            )
        ])
        #expect(try scene.run().attempt("access").outcome == "completed")
    }

    @Test("lint reports missing libraries and functions at their names, and exits with 65")
    func lint() throws {
        let scene = try Scene()
        try scene.declare([
            ("library", "call: {library: libbgrun-absent.so.9, function: f}"),
            ("function", "call: {library: libc.so.6, function: bgrun_no_such_function}"),
            ("variable", "call: {library: libc.so.6, function: environ}"),
            ("good", "call: {library: libc.so.6, function: sync}"),
        ])
        let text = try scene.bgrun("lint", "\(scene.path)/app.yaml")
        #expect(text.status == 65)
        #expect(
            text.error.contains(
                "app.yaml:9:21: error: the dynamic linker does not know a library "
                    + "'libbgrun-absent.so.9' [bad-library]\n"
                    + "    9 |     call: {library: libbgrun-absent.so.9, function: f}\n"
                    + "      |                     ^~~~~~~~~~~~~~~~~~~~\n"))

        struct Problem: Decodable, Equatable {
            var code: String
            var line: Int
        }
        let json = try scene.bgrun("lint", "--json", "\(scene.path)/app.yaml")
        #expect(json.status == 65)
        let problems = try JSONDecoder().decode([Problem].self, from: Data(json.output.utf8))
        #expect(
            problems == [
                Problem(code: "bad-library", line: 9),
                Problem(code: "missing-function", line: 12),
                Problem(code: "missing-function", line: 15),
            ])
    }
}
