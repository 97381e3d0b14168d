// SPDX-License-Identifier: Apache-2.0

import BGRunStorage
import Glibc

extension StateDirectory {
    /// This directory, unless it belongs to another user and cannot be read: reports that and ends the
    /// command. A missing one may be read.
    func readable() throws -> StateDirectory {
        guard access(path, R_OK | X_OK) != 0, errno == EACCES else { return self }
        throw notPermitted()
    }

    /// The reason for its missing store: the name or `--state` may be mistyped.
    var notRun: String { "the app has not been run here, its state would be in \(path)" }

    /// Creates it, so that a command can follow it before the first host runs. An existing one may belong
    /// to another user: root follows it, too.
    func createIfMissing() throws {
        if access(path, F_OK) != 0 { try create() }
    }

    /// Reports its owner, or that its mode locks out its own user.
    func notPermitted() -> any Error {
        if let closed {
            return Exit.ioError.reporting(closed.message)
        }
        return Exit.refused.reporting("not permitted: the app in \(path) is another user's")
    }
}
