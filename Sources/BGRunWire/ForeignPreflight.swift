// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What can be known about a foreign program on this machine without loading a library.
///
/// Loading a library runs its code, which only a worker may do; this looks at files. What it cannot
/// know, above all whether a library has a function, the worker finds out before the first call.
public enum ForeignPreflight {
    /// The static problems, and those of each library: a path at which there is no shared library
    /// for this machine, a name that the dynamic linker does not know.
    ///
    /// - Parameters:
    ///   - directory: The manifest's directory, absolute.
    ///   - libraryPath: The `LD_LIBRARY_PATH` of the worker; nil: none.
    public static func problems(
        _ program: ForeignProgram, directory: String, libraryPath: String? = nil
    ) -> [ForeignProblem] {
        var problems = program.problems()
        var checked: Set<String> = []
        for (index, call) in program.calls.enumerated() where checked.insert(call.library).inserted
        {
            let mistake: String? =
                call.library.contains("/")
                ? pathMistake(call.library, directory) : nameMistake(call.library, libraryPath)
            guard let mistake else { continue }
            problems.append(
                ForeignProblem(call: index, function: call.function, message: mistake))
        }
        return problems
    }

    private static func pathMistake(_ library: String, _ directory: String) -> String? {
        let path = library.utf8.first == UInt8(ascii: "/") ? library : "\(directory)/\(library)"
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            return "library '\(path)' cannot be opened: \(reason). Build it, or correct the path"
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return "library '\(path)' is not a regular file"
        }
        var theirs = ELFIdentity()
        guard theirs.read(from: descriptor), theirs.isSharedObject else {
            return "'\(path)' is not a shared library"
        }
        guard let ours = ELFIdentity.own else { return nil }
        guard theirs.fits(ours) else {
            return "library '\(path)' is for another machine than this one: \(theirs), not \(ours)"
        }
        return nil
    }

    private static func nameMistake(_ library: String, _ libraryPath: String?) -> String? {
        guard !library.isEmpty, let cache = LinkerCache.system, cache.path(of: library) == nil
        else { return nil }
        let custom = (libraryPath ?? "").split(separator: ":").map(String.init)
        for directory in custom + ["/lib", "/usr/lib", "/lib64", "/usr/lib64"] {
            if access("\(directory)/\(library)", F_OK) == 0 { return nil }
        }
        return "the dynamic linker does not know a library '\(library)'. Install the package that "
            + "has it and run ldconfig, or give the path of its file"
    }
}

/// The part of an ELF file's head that says for which machines it is.
private struct ELFIdentity: CustomStringConvertible {
    private var head = [UInt8](repeating: 0, count: 20)

    /// That of this process.
    static let own: ELFIdentity? = {
        let descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var identity = ELFIdentity()
        return identity.read(from: descriptor) ? identity : nil
    }()

    mutating func read(from descriptor: Int32) -> Bool {
        head.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) } == head.count
    }

    var isSharedObject: Bool {
        head.starts(with: [0x7f, 0x45, 0x4c, 0x46]) && number(at: 16) == UInt16(ET_DYN)
    }

    /// Same class, byte order and machine.
    func fits(_ other: ELFIdentity) -> Bool {
        head[4...5] == other.head[4...5] && head[18...19] == other.head[18...19]
    }

    var description: String {
        "\(head[4] == 1 ? 32 : 64)-bit ELF, machine \(number(at: 18))"
    }

    /// In the file's own byte order.
    private func number(at place: Int) -> UInt16 {
        let (first, second) = (UInt16(head[place]), UInt16(head[place + 1]))
        return head[5] == 2 ? first << 8 | second : second << 8 | first
    }
}
