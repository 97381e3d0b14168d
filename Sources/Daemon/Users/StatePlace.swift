// SPDX-License-Identifier: Apache-2.0

import BGRunInspection
import Glibc

/// Creates the state directory of another user's app. Only for root.
enum StatePlace {
    struct Refusal: Error, Equatable {
        var message: String
    }

    /// Creates `base`/`app` for its user only, or with passage for the members of the control group, and
    /// hands it over. An existing one must already belong to that user.
    ///
    /// Only root can change `base`, so the checked directory is the one that is handed over.
    static func prepare(_ base: String, app: String, for grant: AccountRule.Grant) throws(Refusal) {
        try makeBase(base)
        let path = "\(base)/\(app)"
        let user = grant.account.uid
        var status = stat()
        if mkdir(path, 0o700) != 0 {
            guard errno == EEXIST, lstat(path, &status) == 0 else { throw failure(path) }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw Refusal(message: "\(path) is not a directory; move it away")
            }
            guard status.st_uid == user else {
                throw Refusal(
                    message: "\(path) belongs to user \(status.st_uid), and the app runs as "
                        + "\(grant.account.name); chown -R it, or give the app another name")
            }
        }
        // The set-group-ID bit gives new entries the group of the directory, which the socket needs.
        let mode: mode_t = grant.controlGroup == nil ? 0o700 : 0o2710
        guard lchown(path, user, grant.controlGroup ?? grant.account.gid) == 0,
            chmod(path, mode) == 0
        else { throw failure(path) }
    }

    private static func makeBase(_ base: String) throws(Refusal) {
        var made = ""
        for part in base.split(separator: "/") {
            made += "/\(part)"
            guard mkdir(made, 0o755) == 0 || errno == EEXIST else { throw failure(made) }
        }
        if let refusal = TrustedFile.refusal(of: base, user: 0) {
            throw Refusal(
                message: "others than root could change \(base): \(refusal.reason); "
                    + "\(refusal.remedy), or give another --state")
        }
    }

    private static func failure(_ path: String) -> Refusal {
        Refusal(message: "\(path): \(String(cString: strerror(errno)))")
    }
}
