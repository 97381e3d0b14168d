// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import BGRunInspection

@Suite("Plugin files", .timeLimit(.minutes(10)))
struct PluginFileTests {
    let directory: FixtureDirectory

    init() throws {
        directory = try FixtureDirectory()
    }

    /// Opens the bytes as a plugin and returns the refusal, if it is refused.
    private func refusal(of bytes: [UInt8], symbols: [String]? = nil) throws -> PluginFileRefusal? {
        refusal(ofPath: try directory.write("libx.so", bytes), symbols: symbols)
    }

    private func refusal(
        ofPath path: String, sha256: String? = nil, symbols: [String]? = nil
    ) -> PluginFileRefusal? {
        do {
            _ = try PluginFile.open(
                path: path, sha256: sha256, symbols: symbols ?? [PluginFile.entrySymbol])
            return nil
        } catch {
            return error
        }
    }

    @Test("a plugin is opened and described")
    func good() throws {
        let bytes = try Compiled.plugin.get()
        let path = try directory.write("libx.so", bytes, mode: 0o755)
        let file = try PluginFile.open(path: path, sha256: nil)
        let description = file.description
        #expect(description.soname == "libfixture.so.1")
        #expect(description.needed.contains { $0.hasPrefix("libm.so") })
        // The entry, two other functions, and one datum.
        let absent = refusal(ofPath: path, symbols: ["absent"])
        #expect(absent?.found == "4 exported symbols, none of them that")
        #expect(description.size == UInt64(bytes.count))
        #expect(description.mode == 0o755)
        #expect(description.machine == ELFMachine.current.name)
    }

    @Test(
        "the descriptor reads the checked file, and is closed on exec and at the end")
    func descriptor() throws {
        let path = try directory.write("libx.so", try Compiled.plugin.get())
        let number: Int32
        do {
            let file = try PluginFile.open(path: path, sha256: nil)
            number = file.descriptor
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(number, F_GETFL) & O_ACCMODE == O_RDONLY)
            var (opened, named) = (stat(), stat())
            #expect(fstat(number, &opened) == 0 && stat(path, &named) == 0)
            #expect(opened.st_ino == named.st_ino)
        }
        // Another test may have reused the descriptor number, but for another file.
        var (after, named) = (stat(), stat())
        #expect(stat(path, &named) == 0)
        #expect(
            fstat(number, &after) != 0 || after.st_ino != named.st_ino
                || after.st_dev != named.st_dev)
    }

    @Test(
        "stripped files, either hash table and weak entries are accepted",
        arguments: [
            Compiled.stripped, Compiled.sysvHash, Compiled.gnuHash, Compiled.weakEntry,
            Compiled.small,
        ])
    func accepted(library: Result<[UInt8], any Error>) throws {
        #expect(try refusal(of: library.get()) == nil)
    }

    @Test(
        "the entry must be a defined, visible function",
        arguments: [
            Compiled.withoutEntry, Compiled.withoutExports, Compiled.entryIsData,
            Compiled.entryIsHidden, Compiled.entryIsUndefined,
        ])
    func entry(library: Result<[UInt8], any Error>) throws {
        #expect(try refusal(of: library.get())?.check == .entrySymbol)
    }

    @Test("other required functions are found, as for foreign functions")
    func foreign() throws {
        let bytes = try Compiled.withoutEntry.get()
        #expect(try refusal(of: bytes, symbols: ["other_function"]) == nil)
        #expect(try refusal(of: bytes, symbols: ["other_functio"])?.check == .entrySymbol)
        #expect(try refusal(of: bytes, symbols: []) == nil)
    }

    @Test(
        "an ELF file that is not a shared library is refused by its type",
        arguments: [
            (Compiled.executable, "an executable (-pie)"),
            (Compiled.fixedExecutable, "an executable"),
            (Compiled.object, "an object file (.o)"),
            (Compiled.notLoadable, "a library linked with -z nodlopen"),
        ])
    func type(file: Result<[UInt8], any Error>, found: String) throws {
        let refused = try refusal(of: file.get())
        #expect(refused?.check == .type)
        #expect(refused?.found == found)
    }

    @Test(
        "a file that is not ELF is refused by its type",
        arguments: [
            ("", "an empty file"), ("#!/bin/sh\necho hello\n", "begins \"#!/bin/sh\""),
            ("INPUT ( /lib/libc.so.6 )", "begins \"INPUT ( /lib/libc.so.6 )\""),
            ("!<arch>\nfoo", "static library"), ("MZ\u{90}\u{0}", "Windows"),
            ("\u{1}\u{2}\u{3}", "bytes that begin 1 2 3"),
            ("\u{7F}EL", "bytes that begin 7f 45 4c"),
        ])
    func notELF(contents: String, found: String) throws {
        let refused = try #require(try refusal(of: Array(contents.utf8)))
        #expect(refused.check == .elfHeader)
        #expect(refused.found.contains(found), "\(refused.found)")
    }

    @Test(
        "a header of another kind of machine is refused by the field that differs",
        arguments: [
            (4, [UInt8(1)], PluginFileRefusal.Check.elfClass, "32-bit"),
            (4, [7], .elfClass, "class 7"), (5, [2], .byteOrder, "big-endian"),
            (18, [8, 0], .machine, "MIPS"), (18, [0xFF, 0x7F], .machine, "machine 32767"),
            (16, [4, 0], .type, "a core dump"), (16, [9, 0], .type, "type 9"),
        ])
    func header(
        offset: Int, patch: [UInt8], check: PluginFileRefusal.Check, found: String
    ) throws {
        var bytes = try Compiled.plugin.get()
        bytes.replaceSubrange(offset..<offset + patch.count, with: patch)
        let refused = try refusal(of: bytes)
        #expect(refused?.check == check)
        #expect(refused?.found == found)
    }

    @Test("a library without a dynamic section is refused as another kind of file")
    func noDynamicSection() throws {
        var bytes = try Compiled.plugin.get()
        // The program headers, of 56 bytes each, follow the header of 64 bytes.
        let headers = (0..<Int(bytes[56])).map { 64 + $0 * 56 }
        // PT_DYNAMIC becomes PT_NULL.
        let dynamic = headers.first { bytes[$0..<$0 + 4].elementsEqual([2, 0, 0, 0]) }
        bytes[try #require(dynamic)] = 0
        let refused = try refusal(of: bytes)
        #expect(refused?.check == .type)
        #expect(refused?.found == "no dynamic section")
    }

    @Test("a pin matches the digest of the whole file, in upper or lower case")
    func pin() throws {
        let path = try directory.write("libx.so", try Compiled.plugin.get())
        let digest = try PluginFile.open(path: path, sha256: nil).sha256()
        #expect(refusal(ofPath: path, sha256: digest) == nil)
        #expect(refusal(ofPath: path, sha256: digest.uppercased()) == nil)
        var other = try Compiled.plugin.get()
        other.append(0)
        let changed = try directory.write("liby.so", other)
        let refused = refusal(ofPath: changed, sha256: digest)
        #expect(refused?.check == .sha256)
        #expect(refused?.expected == digest)
        #expect(refusal(ofPath: path, sha256: "9f86d0")?.expected == "64 hexadecimal digits")
    }

    @Test("the digest is SHA-256")
    func digest() throws {
        let path = try directory.write("abc", "abc".utf8)
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        #expect(
            try SHA256Pin.digest(of: descriptor)
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    private static let manyFiles = "raise the limit of open files (ulimit -n, LimitNOFILE)"

    @Test(
        "an error names what prevents opening: descriptors, memory or permissions",
        arguments: [
            (EMFILE, "a free file descriptor", manyFiles),
            (ENFILE, "a free file descriptor", "raise fs.file-max of the machine (sysctl)"),
            (ENOMEM, "memory to open it", "free memory"),
            (
                EACCES, "a file this user can read",
                "let this user read the file and search the directories above it"
            ),
        ])
    func shortage(code: Int32, expected: String, remedy: String) {
        let failed = FileOpening.unreadable(code)
        #expect(failed.check == .readable)
        #expect(failed.expected == expected)
        #expect(failed.found == "\"\(String(cString: strerror(code)))\"")
        #expect(failed.remedy == remedy)
        #expect(failed.systemError == code)
    }

    @Test("a refusal states path, check, expectation, finding and advice in one line")
    func message() throws {
        let refused = try #require(try refusal(of: Array("hello\n".utf8)))
        #expect(
            refused.message
                == "plugin \(directory.path)/libx.so: ELF header: expected an ELF shared library, "
                + "found a text file that begins \"hello\"; "
                + "give the path of the built library, not of a source or a script")
    }
}
