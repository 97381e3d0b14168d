// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Outcomes of foreign calls", .timeLimit(.minutes(5)))
struct ForeignOutcomeTests {
    @Test("a missing library or function refuses the attempt before any call")
    func refused() throws {
        let scene = try Scene()
        try scene.declare([
            ("library", "call: {library: libbgrun-absent.so.9, function: f}"),
            (
                "function",
                """
                calls:
                - {library: libc.so.6, function: mkdir, args: [made, {u32: 0o755}], returns: i32}
                - {library: libc.so.6, function: bgrun_no_such_function}
                """
            ),
            ("variable", "call: {library: libc.so.6, function: environ}"),
        ])
        let run = try scene.run()
        #expect(run.status == 1)
        let complaints = [
            "library": "library 'libbgrun-absent.so.9' cannot be loaded: ",
            "function": "library 'libc.so.6' has no function 'bgrun_no_such_function': ",
            "variable": "'environ' in library 'libc.so.6' is data, not a function",
        ]
        for (name, complaint) in complaints {
            let attempt = try run.attempt(name)
            #expect(attempt.outcome == "refused")
            #expect(attempt.message?.hasPrefix(complaint) == true)
        }
        #expect(!FileManager.default.fileExists(atPath: scene.path + "/made"))
    }

    @Test("a library of the app is loaded by its path, unless others can change it")
    func ownLibrary() throws {
        let scene = try Scene()
        try scene.write("own.c", "int seven(void) { return 7; }")
        let compiled = try scene.command(
            "/usr/bin/env",
            ["cc", "-shared", "-fPIC", "-o", "\(scene.path)/own.so", "\(scene.path)/own.c"])
        try #require(compiled.status == 0, "\(compiled.error)")
        try scene.declare([
            (
                "own",
                "call: {library: ./own.so, function: seven, returns: i32, success: {equals: 7}}"
            )
        ])
        try scene.setMode("own.so", 0o755)
        #expect(try scene.run().attempt("own").outcome == "completed")

        try scene.setMode("own.so", 0o775)
        let refused = try #require(try scene.run().attempts.first { $0.outcome == "refused" })
        #expect(
            refused.message
                == "library '\(scene.path)/own.so' may not be loaded: mode: expected a file only "
                + "its owner can write, found mode 0775; run chmod go-w on it")
    }

    @Test("an error result fails the attempt with the message of the library")
    func failed() throws {
        let scene = try Scene()
        try scene.declare([
            (
                "errno",
                """
                call:
                  {library: libc.so.6, function: rmdir, args: [absent], returns: i32, success: errno}
                """
            ),
            (
                "message",
                """
                calls:
                - library: libsqlite3.so.0
                  function: sqlite3_open
                  args: [":memory:", {name: database, pointer_to: pointer}]
                  returns: i32
                  success: zero
                - library: libsqlite3.so.0
                  function: sqlite3_exec
                  args:
                    - {value_of: database}
                    - SELECT * FROM photos
                    - null
                    - null
                    - {name: error, pointer_to: string}
                  returns: i32
                  success: zero
                """
            ),
        ])
        let run = try scene.run()
        #expect(run.status == 1)
        #expect(try run.attempt("errno").outcome == "failed")
        #expect(
            try run.attempt("errno").message
                == "rmdir returned -1: No such file or directory (errno 2)")
        #expect(try run.attempt("message").outcome == "failed")
        #expect(
            try run.attempt("message").message
                == "sqlite3_exec returned 1, not 0; error: no such table: photos")
    }

    @Test(
        "a call that never returns is expired, then ended, and killed if it ignores that",
        arguments: [false, true])
    func endless(ignoresTermination: Bool) throws {
        let scene = try Scene()
        var calls = "- {library: libc.so.6, function: pause, returns: i32}"
        if ignoresTermination {
            // signal(SIGTERM, SIG_IGN)
            calls =
                "- {library: libc.so.6, function: signal, args: [{i32: 15}, {pointer: 1}], "
                + "returns: pointer}\n" + calls
        }
        try scene.declare([
            ("endless", "expiration: {after: 1s, grace: 100ms}\ncalls:\n\(calls)"),
            ("next", "call: {library: libc.so.6, function: getpid, returns: i32}"),
        ])
        let run = try scene.run()
        #expect(run.status == 1)
        #expect(try run.attempt("endless").outcome == "expired")
        #expect(try run.attempt("next").outcome == "completed")
        let steps = run.log.map(\.text).filter { $0.contains(" com.example.app.endless") }
            .compactMap { $0.split(separator: " ").first }
            .filter { ["Expiring", "Terminating", "Killing"].contains($0) }
        #expect(steps == ["Expiring", "Terminating"] + (ignoresTermination ? ["Killing"] : []))
    }

    @Test(
        "a call that crashes or ends the process is reported, and the next attempt runs",
        arguments: [
            (
                "function: memset, args: [null, {i32: 1}, {u64: 8}], returns: pointer", "crashed",
                "crashed with signal 11 (SIGSEGV)"
            ),
            (
                "function: raise, args: [{i32: 11}], returns: i32", "crashed",
                "crashed with signal 11 (SIGSEGV)"
            ),
            ("function: abort", "crashed", "crashed with signal 6 (SIGABRT)"),
            ("function: exit, args: [{i32: 3}]", "exited", "exited with code 3 without a report"),
        ])
    func crash(call: String, outcome: String, detail: String) throws {
        let scene = try Scene()
        try scene.declare([
            ("crash", "call: {library: libc.so.6, \(call)}"),
            ("next", "call: {library: libc.so.6, function: getpid, returns: i32}"),
        ])
        let run = try scene.run()
        #expect(run.status == 1)
        #expect(try run.attempt("crash").outcome == outcome)
        #expect(try run.attempt("crash").detail == detail)
        #expect(try run.attempt("crash").message == nil, "it was not in a plugin's constructor")
        #expect(try run.attempt("next").outcome == "completed")
    }
}
