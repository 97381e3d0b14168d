// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A shared library for foreign calls: the facts in its file, which is not loaded.
package struct SharedLibrary: Equatable, Sendable {
    /// DT_NEEDED, in order: the libraries that are loaded with it.
    package let needed: [String]
    /// The functions among the requested names, and symbols that may be one.
    package let functions: Set<String>
    /// The variables among them.
    package let variables: Set<String>

    /// Reads the library at `path`, regardless of its owner: the administrator chooses the
    /// libraries that the dynamic linker finds by name. Thread-safe. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory.
    ///   - names: the names of functions.
    /// - Throws: the reason why this machine could not load it.
    package init(path: String, lookingFor names: Set<String>) throws(PluginFileRefusal) {
        do {
            let descriptor = try FileOpening.open(try FileOpening.resolve(path))
            defer { close(descriptor) }
            // fits: a size is not negative
            let size = UInt64(try FileOpening.status(of: descriptor).st_size)
            let dynamic = try ELFDynamicSection(
                of: try ELFImage(descriptor: descriptor, size: size))
            let found = try dynamic.exports(lookingFor: names).found
            needed = try dynamic.needed()
            functions = Set(found.filter { $0.value != .data }.keys)
            variables = Set(found.filter { $0.value == .data }.keys)
        } catch {
            throw error.refusal(of: path)
        }
    }

    /// The reason why the library at `path` must not be loaded into a worker, with a remedy; nil:
    /// it may be. The checks are those of a plugin, without its entry symbol: a file that others
    /// can change runs their code. `error` is the errno if the file could not be examined.
    package static func objection(
        to path: String
    ) -> (reason: String, remedy: String, error: Int32?)? {
        do throws(PluginFileRefusal) {
            _ = try PluginFile.open(path: path, sha256: nil, symbols: [])
            return nil
        } catch {
            return (error.reason, error.remedy, error.systemError)
        }
    }
}
