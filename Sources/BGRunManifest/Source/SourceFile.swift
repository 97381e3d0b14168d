// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads a manifest from disk.
enum SourceFile {
    /// The largest manifest, in bytes.
    static let sizeLimit = 1 << 20

    enum Failure: Error {
        /// The file could not be opened or read; what the system said.
        case unreadable(String)
        case tooLarge
    }

    /// The bytes of the file at `path`. Pipes are read too, so that a shell may produce a manifest.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(systemMessage()) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(systemMessage()) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= sizeLimit else { throw .tooLarge }
        }
    }

    private static func systemMessage() -> String {
        String(cString: strerror(errno))
    }
}
