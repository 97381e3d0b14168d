// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunManifest
import Glibc

/// A process of the daemon's, without rights when the daemon is root: reads the manifest that is its
/// standard input, and prints what the daemon must know of it.
enum ManifestLook {
    private static let longest = 1 << 20

    /// - Parameter path: Of the manifest, for messages.
    static func run(_ path: String, shipped: [String]) throws {
        // A file system that does not answer must not hold up the other apps.
        alarm(10)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= longest {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard bytes.count <= longest else {
            complain("\(path): the manifest is larger than 1 MiB; split it into several apps")
            throw Exit.badData
        }
        let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let manifest = try Diagnostics.ending { () throws(ManifestProblems) in
            try ManifestReader.read(
                bytes: bytes, path: path, directory: directory.isEmpty ? "/" : directory,
                options: ManifestReader.Options(shippedPlugins: shipped, checksFiles: false)
            ).manifest
        }
        let account = manifest.account
        print(
            ManifestFacts(
                app: manifest.app, user: account.user, group: account.group,
                controlGroup: account.controlGroup
            ).text, terminator: "")
    }
}
