// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Whether only root and `user` can change the file at a path, as sshd's StrictModes requires of its
/// files: a plugin that others can change runs their code with this user's rights.
struct FileTrust {
    var user: uid_t

    func checkFile(owner: uid_t, mode: mode_t) throws(FailedCheck) {
        guard isTrusted(owner) else {
            throw FailedCheck(
                check: .owner, expected: trustedOwners, found: "user \(owner)",
                remedy: "chown the file, or install it as that user")
        }
        guard mode & Self.writableByOthers == 0 else {
            throw FailedCheck(
                check: .mode, expected: "a file only its owner can write",
                found: "mode \(octal(mode))", remedy: "run chmod go-w on it")
        }
    }

    /// A sticky directory may be writable by all: users cannot rename or remove files of others.
    func checkDirectory(_ path: String, owner: uid_t, mode: mode_t) throws(FailedCheck) {
        guard isTrusted(owner) else {
            throw FailedCheck(
                check: .directories, expected: "\(path) owned by \(trustedOwners)",
                found: "user \(owner)", remedy: "chown it, or move the file elsewhere")
        }
        guard mode & Self.writableByOthers == 0 || mode & S_ISVTX != 0 else {
            throw FailedCheck(
                check: .directories, expected: "\(path) writable by its owner only",
                found: "mode \(octal(mode))",
                remedy: "run chmod go-w \(path), or move the file elsewhere")
        }
    }

    /// Checks the owners of the symbolic links in `path`: a user that can change a link chooses the file.
    func checkLinks(on path: String) throws(FailedCheck) {
        for step in PathWalk(path) where step.isLink {
            guard let owner = step.owner, !isTrusted(owner) else { continue }
            throw FailedCheck(
                check: .directories, expected: "the link \(step.path) owned by \(trustedOwners)",
                found: "user \(owner)", remedy: "chown -h it, or name the file itself")
        }
    }

    /// Checks every directory above `path`, which is absolute and without symbolic links, from the root
    /// down: below a directory that others can change, no check is reliable.
    func checkDirectories(above path: String) throws(FailedCheck) {
        for directory in ["/"] + Directory.ancestors(of: path) {
            var status = stat()
            guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw FailedCheck(
                    check: .directories, expected: "\(directory) to be a directory",
                    found: "it changed while it was being checked", remedy: "try again")
            }
            try checkDirectory(directory, owner: status.st_uid, mode: status.st_mode)
        }
    }

    private static let writableByOthers: mode_t = S_IWGRP | S_IWOTH

    private func isTrusted(_ owner: uid_t) -> Bool { owner == 0 || owner == user }

    private var trustedOwners: String { user == 0 ? "root" : "root or user \(user)" }

    private func octal(_ mode: mode_t) -> String { "0" + String(mode & 0o7777, radix: 8) }
}

/// Files whose writers are restricted.
package enum TrustedFile {
    /// The reason why users other than root and `user` could change the file at `path`; nil if they
    /// cannot, or if it does not exist.
    package static func refusal(of path: String, user: uid_t = geteuid()) -> PluginFileRefusal? {
        let trust = FileTrust(user: user)
        do throws(FailedCheck) {
            let resolved = try FileOpening.resolve(path)
            var status = stat()
            guard lstat(resolved, &status) == 0 else { return nil }
            try trust.checkLinks(on: path)
            try trust.checkDirectories(above: resolved)
            try trust.checkFile(owner: status.st_uid, mode: status.st_mode)
            return nil
        } catch  where error.check == .exists || error.check == .readable {
            return nil
        } catch {
            return error.refusal(of: path)
        }
    }
}
