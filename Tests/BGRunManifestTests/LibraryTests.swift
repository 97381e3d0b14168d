// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunProtocol
import Testing

@Suite(
    "Checks of the plugins and libraries on this machine",
    .timeLimit(.minutes(10)))
struct LibraryTests {
    /// The errors of one call, `code line:column message`, if libc has the function `f` and
    /// the variable `v`, and no other file is a library.
    private func problems(
        _ call: String, task: String = "", checksFiles: Bool = true
    ) -> [String] {
        let libraries = ForeignPreflight.Files(
            objection: { ForeignObstacle("\($0) is anyone's", remedy: "run chmod go-w") },
            read: { (path, names) throws(ForeignObstacle) in
                guard path.hasSuffix("/libc.so.6") else {
                    throw ForeignObstacle("\(path) is not a library", remedy: "build it")
                }
                return ForeignPreflight.LibraryFile(
                    needed: [], functions: names.intersection(["f"]),
                    variables: names.intersection(["v"]))
            })
        let text = """
            bgrun: 1
            app: com.example.app
            modes: [processing]
            permitted_identifiers: [com.example.app.clean]
            tasks:
              com.example.app.clean:
                kind: processing
                call: {\(call)}
                \(task)
            """
        return Self.diagnostics(
            text, ManifestReader.Options(checksFiles: checksFiles, libraries: libraries))
    }

    private static func diagnostics(
        _ text: String, _ options: ManifestReader.Options
    ) -> [String] {
        do throws(ManifestProblems) {
            _ = try ManifestReader.read(
                bytes: Array(text.utf8), path: "app.yaml", directory: "/nowhere", options: options)
            return []
        } catch {
            return error.diagnostics.filter { $0.severity == .error }.map {
                "\($0.code.rawValue) \($0.mark?.line ?? 0):\($0.mark?.column ?? 0) \($0.message)"
            }
        }
    }

    @Test("an existing function causes no problem")
    func found() {
        #expect(problems("library: libc.so.6, function: f") == [])
    }

    @Test("a missing function and a variable are reported at the function's name")
    func functions() {
        #expect(
            problems("library: libc.so.6, function: g") == [
                "missing-function 8:42 library 'libc.so.6' has no function 'g'"
            ])
        #expect(
            problems("library: libc.so.6, function: v") == [
                "missing-function 8:42 'v' in library 'libc.so.6' is a variable, not a function"
            ])
    }

    @Test("a missing library is reported at its name")
    func library() {
        #expect(
            problems("function: f, library: libbgrun-absent.so.9") == [
                "bad-library 8:34 the dynamic linker does not know a library "
                    + "'libbgrun-absent.so.9'"
            ])
    }

    @Test("a library with a path must be writable by its owner only")
    func objection() {
        #expect(
            problems("library: /etc/passwd, function: f") == [
                "bad-library 8:21 library '/etc/passwd' may not be loaded: "
                    + "/etc/passwd is anyone's"
            ])
    }

    @Test("a path without a file is reported once", arguments: [true, false])
    func absent(checksFiles: Bool) {
        let told = problems("library: ./absent.so, function: f", checksFiles: checksFiles)
        #expect(
            told
                == (checksFiles
                    ? ["missing-file 8:21 `/nowhere/absent.so`: No such file or directory"] : []))
    }

    @Test("an error in the call itself is reported as well")
    func mistakes() {
        #expect(
            problems("library: libc.so.6, function: g, result: r") == [
                "missing-function 8:42 library 'libc.so.6' has no function 'g'",
                "bad-call 8:53 a void function has no result to name",
            ])
    }

    private func plugin(_ name: String, installed: [String], checksFiles: Bool = true) -> [String] {
        Self.diagnostics(
            """
            bgrun: 1
            app: com.example.app
            permitted_identifiers: [com.example.app.clean]
            plugins: {mine: \(name)}
            tasks: {}
            """,
            ManifestReader.Options(shippedPlugins: installed, checksFiles: checksFiles)
        )
    }

    @Test("a plugin without a path is an installed one")
    func plugins() {
        #expect(plugin("hello-c", installed: ["exec", "hello-c"]) == [])
        #expect(
            plugin("hello-c", installed: ["exec"]) == [
                "unknown-shipped-plugin 4:17 no plugin `hello-c` is installed with bgrun"
            ])
    }

    @Test("a plugin may be missing if files are not checked")
    func later() {
        #expect(plugin("hello-c", installed: [], checksFiles: false) == [])
    }
}
