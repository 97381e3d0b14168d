// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

extension ZoneRules {
    /// The directory of a machine's zone rules.
    package static let directory = "/usr/share/zoneinfo"

    /// Reads the zone `name`, for example `Europe/Berlin`, from `directory`. `UTC` is always
    /// available.
    package static func named(_ name: String) throws(Failure) -> ZoneRules {
        if name == "UTC" { return utc }
        let isName = name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x30...0x39).contains(byte) || "/_+-".utf8.contains(byte)
        }
        guard isName, !name.isEmpty, !name.hasPrefix("/") else { throw .unknown }
        return try ZoneRules(name: name, file: "\(directory)/\(name)")
    }

    /// The zone of this machine: `TZ` if it names one, else /etc/localtime; else UTC.
    package static var local: ZoneRules {
        let variable = getenv("TZ").map { String(cString: $0) } ?? ""
        let wish = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        if !wish.isEmpty, let zone = try? named(wish) { return zone }
        let link = "/etc/localtime"
        if let path = realpath(link, nil) {
            defer { free(path) }
            let parts = String(cString: path).split(separator: "/")
            if let root = parts.lastIndex(of: "zoneinfo") {
                let name = parts[(root + 1)...].drop { $0 == "posix" || $0 == "right" }
                if let zone = try? named(name.joined(separator: "/")) { return zone }
            }
        }
        return (try? ZoneRules(name: "local", file: link)) ?? utc
    }

    /// The common names of zones, for near misses; empty if the list is missing.
    static func names() -> [String] {
        let file = (try? SourceFile.read("\(directory)/zone.tab")) ?? []
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n")
        return lines.filter { !$0.hasPrefix("#") }.compactMap { line in
            let columns = line.split(separator: "\t")
            return columns.count > 2 ? String(columns[2]) : nil
        }
    }

    private init(name: String, file path: String) throws(Failure) {
        guard let bytes = try? SourceFile.read(path, limit: 1 << 18), !bytes.isEmpty else {
            throw .unknown
        }
        try self.init(name: name, tzif: bytes)
    }
}
