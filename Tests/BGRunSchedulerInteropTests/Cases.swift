// SPDX-License-Identifier: Apache-2.0

import BGRunSchedulerInterop
import Foundation
import Testing

/// The files of `Cases`; the directory of a file names its format.
enum Cases {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Cases")

    /// The paths of the imported files below `Cases`, without the expectations.
    static let names: [String] =
        ["crontab", "cron.d", "anacrontab", "launchd"].flatMap { format in
            files(format).map { "\(format)/\($0)" }
        } + files("systemd").filter { $0.hasSuffix(".timer") }.map { "systemd/\($0)" }

    static func files(_ format: String) -> [String] {
        let path = directory.appendingPathComponent(format).path
        let all = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return all.filter { !$0.hasSuffix(".expected") }.sorted()
    }

    static func text(_ name: String) throws -> String {
        try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
    }

    /// The result of the import of a file.
    static func app(_ name: String) throws -> PortableApp {
        let parts = name.split(separator: "/").map(String.init)
        let format = try #require(ExchangeFormat(rawValue: parts[0]))
        let file = parts[1]
        let app = format.defaultApp(paths: [file])
        switch format {
        case .crontab, .cronD:
            return CrontabReader.read(
                try text(name), file: file,
                app: app, namesUsers: format == .cronD, home: "/home/ada")
        case .anacrontab: return AnacrontabReader.read(try text(name), file: file, app: app)
        case .systemd:
            let timer = UnitFile(name: file, path: file, text: try text(name))
            var units = [timer]
            for service in [timer.service, timer.service.template]
            where files("systemd").contains(service) {
                units.append(
                    UnitFile(name: service, path: service, text: try text("systemd/\(service)")))
            }
            return TimerReader.read(
                units, origin: file, app: app)
        case .launchd:
            return LaunchdReader.read(
                [(file, try PropertyListValue(xml: try text(name)))], app: app, origin: file)
        case .infoPlist: throw CocoaError(.featureUnsupported)
        }
    }

    /// The concatenated manifests of an app.
    static func manifests(_ app: PortableApp) -> String {
        app.byUser().map(\.yaml).joined(separator: "---\n")
    }

    /// Compares `text` with a file, or writes it with BGRUN_UPDATE_EXPECTED=1.
    static func expect(
        _ text: String, _ name: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let file = directory.appendingPathComponent("\(name).expected")
        if ProcessInfo.processInfo.environment["BGRUN_UPDATE_EXPECTED"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? "(no such file)"
        #expect(text == expected, "see \(file.path)", sourceLocation: location)
    }
}
