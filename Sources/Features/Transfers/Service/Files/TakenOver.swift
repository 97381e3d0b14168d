// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Glibc

/// The part of an earlier transfer from which another one resumes.
enum TakenOver {
    /// Moves the part to the place of the partial file; false: the part is missing or cannot be moved.
    /// - Parameter directory: The open directory of the partial file; nil: its path is followed.
    static func move(
        _ resume: TransferRequest.Resume, to places: FilePlaces, in directory: OpenDirectory?
    ) -> Bool {
        guard
            case .success(let source) = Result(catching: { () throws(TransferProblem) in
                try places.openDirectory(of: resume.file)
            })
        else { return false }
        defer { withExtendedLifetime(source) {} }
        return move(
            source?.path(of: resume.file) ?? resume.file,
            to: directory?.path(of: places.partial) ?? places.partial)
    }

    /// Moves `source` to `target`; false: the part is missing or cannot be moved.
    static func move(_ source: String, to target: String) -> Bool {
        var status = stat()
        guard lstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { return false }
        if rename(source, target) == 0 { return true }
        guard errno == EXDEV, copy(source, to: target) else { return false }
        unlink(source)
        return true
    }

    private static func copy(_ source: String, to target: String) -> Bool {
        let from = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard from >= 0 else { return false }
        defer { close(from) }
        let to = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard to >= 0 else { return false }
        defer { close(to) }
        while true {
            let count = sendfile(to, from, nil, 1 << 20)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return count == 0 }
        }
    }
}
