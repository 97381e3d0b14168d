// SPDX-License-Identifier: Apache-2.0

import BGRunSchedulerInterop
import FoundationEssentials

/// Finds the services of timers, and the drop-ins of both.
struct UnitSearch {
    private(set) var units: [UnitFile] = []
    /// Whether they belong to a user's manager.
    private(set) var isOfUser = false

    private static let standard = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system", "/lib/systemd/system",
    ]

    /// - Parameter paths: Timers, services, and directories of timers.
    init(_ paths: [String]) throws {
        for path in paths.flatMap(ImportFiles.timers) { try add(path) }
        for timer in units where timer.name.hasSuffix(".timer") {
            let service = timer.service
            guard !units.contains(where: { $0.name == service || $0.name == service.template })
            else { continue }
            let near = Self.directory(timer.path)
            let found = ([near] + Self.standard.map { $0 + "/" })
                .flatMap { [$0 + service, $0 + service.template] }
                .first { FileManager.default.fileExists(atPath: $0) }
            if let found { try add(found) }
        }
    }

    private mutating func add(_ path: String) throws {
        let name = String(path.split(separator: "/").last ?? "")
        guard !units.contains(where: { $0.path == path }) else { return }
        var unit = UnitFile(name: name, path: path, text: try ImportFiles.text(path))
        let directory = Self.directory(path)
        isOfUser = isOfUser || directory.contains("systemd/user")
        let isStandard = Self.standard.contains { $0 + "/" == directory }
        for place in isStandard ? Self.standard.reversed().map({ $0 + "/" }) : [directory] {
            let dropIns = "\(place)\(name).d"
            let files = (try? FileManager.default.contentsOfDirectory(atPath: dropIns)) ?? []
            for file in files.sorted() where file.hasSuffix(".conf") {
                unit.add(
                    try ImportFiles.text("\(dropIns)/\(file)"), path: "\(dropIns)/\(file)")
            }
        }
        units.append(unit)
    }

    /// The directory with a trailing slash; empty for a bare file name.
    private static func directory(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
}
