// SPDX-License-Identifier: Apache-2.0

import BGRunSchedulerInterop
import FoundationEssentials

/// Reads the jobs of other schedulers as tasks of manifests.
struct ScheduleImport {
    let format: ExchangeFormat
    let paths: [String]
    /// The app's identifier; nil: made from the file name.
    let app: String?
    /// The texts read so far, by path: standard input can be read only once.
    var texts: [String: String]

    func read() throws -> PortableApp {
        let app = app ?? format.defaultApp(paths: paths)
        let origin = paths.map { $0 == "-" ? "standard input" : $0 }.joined(separator: ", ")
        let home = ProcessInfo.processInfo.environment["HOME"]
        switch format {
        case .systemd:
            let search = try UnitSearch(paths)
            return TimerReader.read(
                search.units, origin: origin,
                app: app, home: search.isOfUser ? home : nil)
        case .launchd:
            let jobs = try paths.flatMap(ImportFiles.files).map { (file: $0, value: try job($0)) }
            return LaunchdReader.read(jobs, app: app, origin: origin)
        case .crontab, .cronD, .anacrontab, .infoPlist:
            let parts = try paths.flatMap(ImportFiles.files).map { path in
                let text = try texts[path] ?? ImportFiles.text(path)
                let file = path == "-" ? "stdin" : path
                if format == .anacrontab {
                    return AnacrontabReader.read(text, file: file, app: app)
                }
                return CrontabReader.read(
                    text, file: file, app: app, namesUsers: format == .cronD, home: home)
            }
            return PortableApp(joining: parts, app: app, origin: origin)
        }
    }

    private func job(_ path: String) throws -> PropertyListValue {
        let text = try texts[path] ?? ImportFiles.text(path)
        do throws(PropertyListValue.Problem) {
            return try PropertyListValue(xml: text)
        } catch {
            throw Exit.badData.reporting(
                LogText.visible(
                    "\(path):\(error.line): \(error.message); give the XML or binary property list")
            )
        }
    }
}
