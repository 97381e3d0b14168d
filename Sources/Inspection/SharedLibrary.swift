// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A shared library for foreign calls: what its file says, without loading it.
package struct SharedLibrary: Hashable, Sendable {
    /// DT_NEEDED, in order: the libraries that are loaded with it.
    package let needed: [String]
    /// The functions among the names that were looked for, and symbols that may be one.
    package let functions: Set<String>
    /// The variables among them.
    package let variables: Set<String>

    /// Reads the library at `path`, whoever owns it: one the dynamic linker knows by name is the
    /// administrator's choice. Any thread. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory.
    ///   - names: of functions.
    /// - Throws: why this machine could not load it.
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

    /// Why the library at `path` may not be loaded into a worker, with what to do; nil: it may. The
    /// checks are those of a plugin, without its entry symbol: a file that others can change runs
    /// their code.
    package static func objection(to path: String) -> (reason: String, remedy: String)? {
        do throws(PluginFileRefusal) {
            _ = try PluginFile.open(path: path, sha256: nil, symbols: [])
            return nil
        } catch {
            return (error.reason, error.remedy)
        }
    }
}
