// SPDX-License-Identifier: Apache-2.0

import Glibc

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
