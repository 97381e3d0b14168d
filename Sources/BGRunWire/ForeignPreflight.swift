// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What can be known about a foreign program on this machine without loading a library.
///
/// Loading a library runs its code, which only a worker may do; this looks at files.
public struct ForeignPreflight {
    private let directory: String
    private let libraryPath: [String]
    private let open: (String) throws(ForeignMistake) -> LibraryFile

    /// What a library's file says about it.
    public struct LibraryFile {
        /// The libraries it is linked with, by name.
        public var needed: [String]
        /// Whether it has a function of this name itself.
        public var exports: (String) -> Bool

        public init(needed: [String], exports: @escaping (String) -> Bool) {
            self.needed = needed
            self.exports = exports
        }
    }

    /// - Parameters:
    ///   - directory: The manifest's directory, absolute.
    ///   - libraryPath: The `LD_LIBRARY_PATH` of the worker.
    ///   - open: Reads the shared library at an absolute path without loading it; throws why it
    ///     cannot be loaded.
    public init(
        directory: String, libraryPath: String = "",
        open: @escaping (String) throws(ForeignMistake) -> LibraryFile
    ) {
        self.directory = directory
        self.libraryPath = libraryPath.split(separator: ":").map(String.init)
        self.open = open
    }

    /// The static problems of a program, then those of its libraries and functions in the order of
    /// the calls, each told once.
    public func problems(of program: ForeignProgram) -> [ForeignProblem] {
        var problems = program.problems()
        var known: [String: Finding] = [:]
        var reported: Set<String> = []
        for (index, call) in program.calls.enumerated() where !call.library.isEmpty {
            let finding = known[call.library] ?? find(call.library)
            known[call.library] = finding
            guard let message = message(about: call, finding) else { continue }
            if !reported.insert(message).inserted { continue }
            problems.append(
                ForeignProblem(call: index, function: call.function, message: message))
        }
        return problems
    }

    private enum Finding {
        case file(LibraryFile, path: String)
        case mistake(String)
        /// Only the dynamic linker of the worker can say.
        case unknown
    }

    private func message(about call: ForeignCall, _ finding: Finding) -> String? {
        switch finding {
        case .unknown: return nil
        case .mistake(let message): return message
        case .file(let file, let path):
            if file.exports(call.function) { return nil }
            // The dynamic linker also looks where the library itself would.
            for name in file.needed {
                guard case .file(let needed, _) = find(name) else { return nil }
                if needed.exports(call.function) { return nil }
            }
            return "library '\(call.library)' has no function '\(call.function)'. Look for the "
                + "name in: nm -D --defined-only \(path)"
        }
    }

    private func find(_ library: String) -> Finding {
        guard let path = path(of: library) else {
            guard LinkerCache.system != nil else { return .unknown }
            return .mistake(
                "the dynamic linker does not know a library '\(library)'. Install the package that "
                    + "has it and run ldconfig, or give the path of its file")
        }
        do throws(ForeignMistake) {
            return .file(try open(path), path: path)
        } catch {
            return .mistake("library '\(library)' cannot be used: \(error.message)")
        }
    }

    private func path(of library: String) -> String? {
        if library.contains("/") {
            return library.utf8.first == UInt8(ascii: "/") ? library : "\(directory)/\(library)"
        }
        func candidates(_ directories: [String]) -> String? {
            directories.lazy.map { "\($0)/\(library)" }.first { access($0, F_OK) == 0 }
        }
        return candidates(libraryPath) ?? LinkerCache.system?.path(of: library)
            ?? candidates(["/lib", "/usr/lib", "/lib64", "/usr/lib64"])
    }
}
