// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import Testing

@Suite("Lines that report a denied access", .timeLimit(.minutes(10)))
struct DenialLineTests {
    typealias Access = AccessRequest.FileAccess

    @Test(
        "of programs are read: path, and whether it was to be written",
        arguments: [
            // coreutils
            ("cp: cannot create regular file '/a/b': Permission denied", "/a/b", .write),
            ("mkdir: cannot create directory ‘/a/b c’: Read-only file system", "/a/b c", .write),
            ("touch: cannot touch '/a/b': Permission denied", "/a/b", .write),
            ("rm: cannot remove '/a/b': Operation not permitted", "/a/b", .write),
            ("mv: cannot move 'b' to '/a/b': Permission denied", "/a/b", .write),
            ("ln: failed to create symbolic link '/a/b': Permission denied", "/a/b", .write),
            ("chmod: changing permissions of '/a/b': Operation not permitted", "/a/b", .write),
            ("cat: /a/b: Permission denied", "/a/b", nil),
            ("cat: '/a/b c': Permission denied", "/a/b c", nil),
            ("tee: /a/b: Permission denied", "/a/b", nil),
            ("ls: cannot open directory '/a': Permission denied", "/a", nil),
            // tar
            (
                "tar: /home/ada/notes.tar: Cannot open: Permission denied", "/home/ada/notes.tar",
                nil
            ),
            ("tar: /a/b: Cannot mkdir: Read-only file system", "/a/b", .write),
            // shells
            ("bash: /a/b: Permission denied", "/a/b", nil),
            ("bash: line 1: /a/b: Permission denied", "/a/b", nil),
            ("/usr/bin/bash: line 3: /a/b c: Permission denied", "/a/b c", nil),
            ("sh: 1: cannot create /a/b: Permission denied", "/a/b", .write),
            ("/bin/sh: 1: cannot open /a/b: Permission denied", "/a/b", nil),
            // Python
            ("PermissionError: [Errno 13] Permission denied: '/a/b'", "/a/b", nil),
            ("OSError: [Errno 30] Read-only file system: '/a/b'", "/a/b", .write),
            (
                "PermissionError: [Errno 1] Operation not permitted: '/a/x' -> '/a/b'", "/a/b", nil
            ),
            // SQLite
            (
                "Error: unable to open database \"/a/b.db\": unable to open database file",
                "/a/b.db", .write
            ),
            // git
            ("fatal: could not create work tree dir '/a/b': Permission denied", "/a/b", .write),
            (
                "error: could not lock config file /a/.gitconfig: Permission denied",
                "/a/.gitconfig", .write
            ),
            (
                "fatal: Unable to create '/a/.git/index.lock': Read-only file system",
                "/a/.git/index.lock", .write
            ),
            ("fatal: cannot mkdir /a/b: Permission denied", "/a/b", .write),
            ("warning: unable to access '/a/.gitconfig': Permission denied", "/a/.gitconfig", nil),
            // cc
            (
                "/usr/bin/ld: cannot open output file /a/a.out: Permission denied", "/a/a.out",
                .write
            ),
            ("cc1: fatal error: /a/b.c: Permission denied", "/a/b.c", nil),
            ("Fatal error: can't create /a/b.o: Permission denied", "/a/b.o", .write),
            ("error: unable to open output file '/a/b.o': 'Permission denied'", "/a/b.o", .write),
            ("env: failed to exec '/a/tool': Permission denied", "/a/tool", .execute),
        ] as [(String, String, Access?)])
    func read(_ line: String, _ path: String, _ access: Access?) throws {
        let denial = try #require(DenialLine(line))
        #expect(denial.path == path)
        #expect(denial.access == access)
        #expect(!denial.isMissing)
    }

    @Test("of a missing file are read as such")
    func missing() throws {
        let denial = try #require(DenialLine("cat: /a/b: No such file or directory"))
        #expect(denial == DenialLine("cat: /a/b: no such file or directory"))
        #expect(denial.isMissing && denial.path == "/a/b" && denial.access == nil)
        let dash = try #require(DenialLine("sh: 1: cannot create /a/b: Directory nonexistent"))
        #expect(dash.isMissing && dash.path == "/a/b" && dash.access == .write)
    }

    @Test(
        "other lines are not",
        arguments: [
            "", "Permission denied", "cat: b: Permission denied", "/a/b: done", "copied /a to /b",
            "ssh: ada@host: Permission denied (publickey).", "error: '': Permission denied",
            "it's /", String(repeating: "x", count: 5_000) + " /a: Permission denied",
        ])
    func others(_ line: String) { #expect(DenialLine(line) == nil) }
}
