// SPDX-License-Identifier: Apache-2.0

import BGRunStorage
import Glibc

extension StateDirectory {
    /// This one, unless it is another user's, whose files are not for reading: that is said, and ends the
    /// command. One that is not there yet may be read.
    func readable() throws -> StateDirectory {
        guard access(path, R_OK | X_OK) != 0, errno == EACCES else { return self }
        throw notPermitted()
    }

    /// Why it has no store: the name or `--state` may be mistyped.
    var notRun: String { "the app has not been run here, its state would be in \(path)" }

    /// Makes it, so that there is something to follow before a host has run. One that is there may be
    /// another user's: root follows it, too.
    func createIfMissing() throws {
        if access(path, F_OK) != 0 { try create() }
    }

    /// Says whose it is, or that its mode keeps its own user out.
    func notPermitted() -> any Error {
        if let closed {
            return Exit.ioError.reporting(closed.message)
        }
        return Exit.refused.reporting("not permitted: the app in \(path) is another user's")
    }
}
