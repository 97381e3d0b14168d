// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An entry of the machine's user database.
package struct Account: Equatable, Sendable {
    package var uid: uid_t
    var gid: gid_t
    package var name: String
    package var home = "/"
    var shell = "/bin/sh"
    /// Including `gid`.
    var groups: [gid_t]
}

extension Account {
    /// The user of that name or number; nil if it does not exist. A number needs no entry in the database,
    /// as in a container: its only group then has the same number.
    package init?(named name: String) {
        let account = Self.find(passwd(), { getpwnam_r(name, $0, $1, $2, $3) }) { Account($0) }
        if let account {
            self = account
        } else if let uid = uid_t(name) {
            self.init(uid)
        } else {
            return nil
        }
    }

    package init(_ uid: uid_t) {
        self =
            Self.find(passwd(), { getpwuid_r(uid, $0, $1, $2, $3) }, { Account($0) })
            ?? Account(uid: uid, gid: uid, name: String(uid), groups: [uid])
    }

    /// Calls a reentrant lookup function such as `getpwnam_r`, with a larger buffer while it returns ERANGE.
    private static func find<Entry, Found>(
        _ empty: Entry,
        _ ask: (
            UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
        ) -> Int32,
        _ take: (Entry) -> Found
    ) -> Found? {
        var buffer = [CChar](repeating: 0, count: 1_024)
        while buffer.count <= 1 << 20 {
            var entry = empty
            var found: UnsafeMutablePointer<Entry>?
            switch ask(&entry, &buffer, buffer.count, &found) {
            case ERANGE: buffer = [CChar](repeating: 0, count: buffer.count * 4)
            case 0 where found != nil: return take(entry)
            default: return nil
            }
        }
        return nil
    }

    private init(_ entry: passwd) {
        func text(_ pointer: UnsafeMutablePointer<CChar>?, else other: String) -> String {
            guard let pointer, pointer.pointee != 0 else { return other }
            return String(cString: pointer)
        }
        uid = entry.pw_uid
        gid = entry.pw_gid
        name = text(entry.pw_name, else: String(entry.pw_uid))
        home = text(entry.pw_dir, else: "/")
        shell = text(entry.pw_shell, else: "/bin/sh")
        groups = Self.groups(of: name, entry.pw_gid)
    }

    private static func groups(of name: String, _ gid: gid_t) -> [gid_t] {
        var count: Int32 = 64
        while count <= 65_536 {
            var groups = [gid_t](repeating: gid, count: Int(count))
            let offered = count
            if getgrouplist(name, gid, &groups, &count) >= 0 { return Array(groups[..<Int(count)]) }
            count = max(count, offered * 2)
        }
        return [gid]
    }

    /// The number of the group of that name or number; nil if it does not exist.
    package static func group(named name: String) -> gid_t? {
        find(Glibc.group(), { getgrnam_r(name, $0, $1, $2, $3) }, { $0.gr_gid }) ?? gid_t(name)
    }
}
