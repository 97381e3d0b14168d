// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin
import Glibc

/// The facts in a plugin file.
package struct PluginDescription: Equatable, Sendable {
    /// For people, for example "x86-64".
    package let machine: String
    /// DT_SONAME.
    package let soname: String?
    /// DT_NEEDED, in order: the libraries that are loaded with it.
    package let needed: [String]
    /// In bytes.
    package let size: UInt64
    /// The permission bits.
    package let mode: UInt32
}

/// A plugin file that has passed all checks that do not require loading it.
///
/// Owns a read-only, close-on-exec descriptor of the checked file. Load that descriptor
/// (`/proc/self/fd/N`), not the path, which may refer to another file by then. The descriptor is
/// closed with the value.
package struct PluginFile: ~Copyable, Sendable {
    /// The one function a plugin must export.
    package static let entrySymbol = BGRUN_ENTRY_SYMBOL

    /// Open as long as this value lives; the caller must not close it.
    package let descriptor: Int32
    /// The path without symbolic links.
    package let resolvedPath: String
    package let description: PluginDescription

    /// Opens and checks the file at `path`; never loads it or runs its code. Reads a few tables,
    /// and the whole file only for a pin. Thread-safe. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory.
    ///   - sha256: the pin, 64 hexadecimal digits; nil for none.
    ///   - symbols: the functions that the file must export; those of a library for libffi are
    ///     the ones that the manifest calls.
    /// - Throws: the first failed check, in the order of `PluginFileRefusal.Check`.
    package static func open(
        path: String, sha256: String?, symbols: [String] = [entrySymbol]
    ) throws(PluginFileRefusal) -> PluginFile {
        do {
            let resolved = try FileOpening.resolve(path)
            let descriptor = try FileOpening.open(resolved)
            let file = try PluginFile(owning: descriptor, resolvedPath: resolved, symbols: symbols)
            if let sha256 { try SHA256Pin.check(sha256, of: file.descriptor) }
            return file
        } catch {
            throw error.refusal(of: path)
        }
    }

    /// The SHA-256 of the whole file in lower-case hexadecimal, as in a manifest.
    package func sha256() throws(PluginFileRefusal) -> String {
        do {
            return try SHA256Pin.digest(of: descriptor)
        } catch {
            throw error.refusal(of: resolvedPath)
        }
    }

    /// Closes `descriptor` if a check fails.
    private init(
        owning descriptor: Int32, resolvedPath: String, symbols: [String]
    ) throws(FailedCheck) {
        do {
            let status = try FileOpening.status(of: descriptor)
            let trust = FileTrust(user: geteuid())
            try trust.checkFile(owner: status.st_uid, mode: status.st_mode)
            try trust.checkDirectories(above: resolvedPath)
            let image = try ELFImage(descriptor: descriptor, size: UInt64(status.st_size))
            let dynamic = try ELFDynamicSection(of: image)
            let exports = try dynamic.exports(lookingFor: Set(symbols))
            for symbol in symbols { try exports.requireFunction(symbol) }
            description = PluginDescription(
                machine: ELFMachine.current.name, soname: try dynamic.soname(),
                needed: try dynamic.needed(),
                // fits: a size is not negative, and the mode has 12 bits
                size: UInt64(status.st_size), mode: UInt32(status.st_mode & 0o7777))
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.resolvedPath = resolvedPath
    }

    deinit { close(descriptor) }
}
