// SPDX-License-Identifier: Apache-2.0

import BGRunInspection
import Testing

@Suite("Libraries for foreign calls", .timeLimit(.minutes(10)))
struct SharedLibraryTests {
    @Test("functions and variables are distinguished, and hidden ones are not found")
    func symbols() throws {
        let directory = try FixtureDirectory()
        let path = try directory.write("libfixture.so", try Compiled.plugin.get())
        let library = try SharedLibrary(
            path: path,
            lookingFor: ["other_function", "some_data", "hidden", "absent", "cos"])
        #expect(library.functions == ["other_function"])
        #expect(library.variables == ["some_data"])
        #expect(library.needed.contains("libm.so.6"))
    }

    @Test("a library that the dynamic linker knows by name is read even if others may write it")
    func anyone() throws {
        let directory = try FixtureDirectory()
        let path = try directory.write("lib.so", try Compiled.withoutEntry.get(), mode: 0o666)
        let library = try SharedLibrary(path: path, lookingFor: ["other_function"])
        #expect(library.functions == ["other_function"])
    }

    @Test("a file that is not a library of this machine cannot be read")
    func text() throws {
        let directory = try FixtureDirectory()
        let path = try directory.write("lib.so", "#!/bin/sh\n".utf8)
        let refusal = #expect(throws: PluginFileRefusal.self) {
            try SharedLibrary(path: path, lookingFor: [])
        }
        #expect(refusal?.check == .elfHeader)
    }

    @Test("a library with a path needs no entry, and must be writable by its owner only")
    func objection() throws {
        let directory = try FixtureDirectory()
        let path = try directory.write("lib.so", try Compiled.withoutEntry.get())
        #expect(SharedLibrary.objection(to: path) == nil)
        try directory.setMode(path, 0o664)
        let objection = try #require(SharedLibrary.objection(to: path))
        #expect(
            objection.reason == "mode: expected a file only its owner can write, found mode 0664")
        #expect(objection.remedy == "run chmod go-w on it")
        #expect(
            SharedLibrary.objection(to: path + ".absent")?.reason
                == "exists: expected a file, found nothing there")
    }
}
