// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Checks a foreign program's libraries on this machine without loading one.
///
/// Loading a library runs its code, which only a worker may do; this reads only files.
package struct ForeignPreflight {
    private let directory: String
    private let libraryPath: [String]
    private let files: Files

    /// Access to library files; the paths are absolute.
    package struct Files: Sendable {
        /// Why a library with a path in the manifest may not be loaded; nil: it may.
        var objection: @Sendable (_ path: String) -> ForeignObstacle?
        /// Reads a shared library without loading it, searching for functions of these names;
        /// throws the reason if this machine cannot load it.
        var read:
            @Sendable (_ path: String, _ functions: Set<String>) throws(ForeignObstacle)
                -> LibraryFile

        package init(
            objection: @escaping @Sendable (_ path: String) -> ForeignObstacle?,
            read:
                @escaping @Sendable (_ path: String, _ functions: Set<String>)
                throws(ForeignObstacle) -> LibraryFile
        ) {
            self.objection = objection
            self.read = read
        }
    }

    /// The contents of a library's file.
    package struct LibraryFile: Sendable {
        /// The names of the libraries with which it is linked.
        var needed: [String]
        /// The requested functions that it contains.
        var functions: Set<String>
        /// The requested names that are variables.
        var variables: Set<String>

        package init(needed: [String], functions: Set<String>, variables: Set<String> = []) {
            self.needed = needed
            self.functions = functions
            self.variables = variables
        }
    }

    /// - Parameters:
    ///   - directory: The manifest's directory, absolute.
    ///   - libraryPath: The `LD_LIBRARY_PATH` of the worker.
    package init(directory: String, libraryPath: String = "", files: Files) {
        self.directory = directory
        self.libraryPath = libraryPath.split(separator: ":").map(String.init)
        self.files = files
    }

    /// The obstacles to running the program, in the order of the calls; reports each library and
    /// each of its functions once.
    package func obstacles(to program: ForeignProgram) -> [ForeignObstacle] {
        let functions = Set(program.calls.map(\.function))
        var known: [String: Finding] = [:]
        var obstacles: [ForeignObstacle] = []
        var told: Set<[String]> = []
        for (index, call) in program.calls.enumerated() where !call.library.isEmpty {
            let finding = known[call.library] ?? find(call.library, functions)
            known[call.library] = finding
            guard var obstacle = obstacle(to: call, finding, functions) else { continue }
            let subject = [call.library] + (obstacle.isAboutLibrary ? [] : [call.function])
            guard told.insert(subject).inserted else { continue }
            obstacle.call = index
            obstacles.append(obstacle)
        }
        return obstacles
    }

    private enum Finding {
        case file(LibraryFile, path: String)
        case obstacle(ForeignObstacle)
        /// Only the worker's dynamic linker can decide.
        case unknown
    }

    private func obstacle(
        to call: ForeignCall, _ finding: Finding, _ functions: Set<String>
    ) -> ForeignObstacle? {
        switch finding {
        case .unknown: return nil
        case .obstacle(let obstacle): return obstacle
        case .file(let file, let path):
            if file.functions.contains(call.function) { return nil }
            if file.variables.contains(call.function) {
                return ForeignObstacle(
                    "'\(call.function)' in library '\(call.library)' is a variable, not a function",
                    remedy: "name a function of the library's header", isAboutLibrary: false)
            }
            // The dynamic linker also searches the directories of the library itself.
            for name in file.needed {
                guard case .file(let needed, _) = find(name, functions) else { return nil }
                if needed.functions.contains(call.function) { return nil }
            }
            return ForeignObstacle(
                "library '\(call.library)' has no function '\(call.function)'",
                remedy: "look for the name in: nm -D --defined-only \(path)",
                isAboutLibrary: false)
        }
    }

    private func find(_ library: String, _ functions: Set<String>) -> Finding {
        guard let path = path(of: library) else {
            guard LinkerCache.system != nil else { return .unknown }
            return .obstacle(
                ForeignObstacle(
                    "the dynamic linker does not know a library '\(library)'",
                    remedy: "install the package that has it and run ldconfig, or give the path of "
                        + "its file"))
        }
        if library.contains("/"), var objection = files.objection(path) {
            objection.message = "library '\(library)' may not be loaded: \(objection.message)"
            return .obstacle(objection)
        }
        do throws(ForeignObstacle) {
            return .file(try files.read(path, functions), path: path)
        } catch {
            var obstacle = error
            obstacle.message = "library '\(library)' cannot be used: \(error.message)"
            return .obstacle(obstacle)
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

/// An obstacle to a foreign call on this machine.
package struct ForeignObstacle: Error, Equatable, Sendable {
    /// The index of the call, from 0.
    package var call = 0
    /// Whether the call's library is the obstacle, not its function.
    package var isAboutLibrary: Bool
    /// One sentence without a full stop.
    package var message: String
    /// How to fix it.
    package var remedy: String

    package init(_ message: String, remedy: String, isAboutLibrary: Bool = true) {
        self.message = message
        self.remedy = remedy
        self.isAboutLibrary = isAboutLibrary
    }
}
