// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunInspection
import BGRunManifest
import BGRunSystem
import Glibc

/// Processes of the daemon that inspect a manifest.
enum ManifestLook {
    private static let longest = 1 << 20

    /// Opens the manifest, continues as `user` without root's rights, and prints the facts that the
    /// daemon needs.
    static func run(_ path: String, as user: UInt32?, shipped: [String]) throws {
        // A file system that does not answer must not delay the other apps.
        alarm(10)
        let file = try ReadableFile(path) { code -> any Error in
            guard let code else { return say("it is not a regular file") }
            return say("it cannot be read: \(String(cString: strerror(code)))")
        }
        let owner = file.status.st_uid
        printNow(ManifestFacts.text(owner: owner))
        if let user, !Rights.become(user, user) {
            throw say("root's rights cannot be given up: \(String(cString: strerror(errno)))")
        }
        // The daemon's HOME is missing or root's.
        let manifest = try read(file, path, shipped, home: Account(user ?? owner).home)
        let account = manifest.account
        printNow(
            ManifestFacts(
                owner: owner, app: manifest.app, user: account.user, group: account.group,
                controlGroup: account.controlGroup
            ).text)
    }

    /// Prints why users other than root and `user` could change the manifest.
    static func judge(_ path: String, for user: UInt32) {
        alarm(10)
        guard let refusal = TrustedFile.refusal(of: path, user: user) else { return }
        printNow("\(refusal.reason); \(refusal.remedy)")
    }

    private static func read(
        _ file: ReadableFile, _ path: String, _ shipped: [String], home: String
    ) throws -> Manifest {
        guard let bytes = file.bytes(limit: longest) else {
            throw Exit.ioError.reporting("\(path): \(String(cString: strerror(errno)))")
        }
        guard bytes.count <= longest else {
            throw Exit.badData.reporting(
                "\(path): the manifest is larger than 1 MiB; split it into several apps")
        }
        var options = ManifestReader.Options(shippedPlugins: shipped, checksFiles: false)
        options.home = home
        do throws(ManifestProblems) {
            return try ManifestReader.read(
                bytes: bytes, path: path, directory: ParentDirectory.containing(path),
                options: options
            ).manifest
        } catch {
            if let line = error.firstError?.line { printNow(ManifestFacts.text(problem: line)) }
            throw error
        }
    }

    private static func say(_ problem: String) -> any Error {
        printNow(ManifestFacts.text(problem: problem))
        return Exit.refused
    }

    /// Writes at once: no later step may revoke it.
    private static func printNow(_ text: String) { write(STDOUT_FILENO, text, text.utf8.count) }
}
