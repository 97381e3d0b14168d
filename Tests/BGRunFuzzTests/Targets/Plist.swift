// SPDX-License-Identifier: Apache-2.0

import BGRunSchedulerInterop

extension FuzzTarget {
    /// A job of launchd as an XML property list.
    static let plist = FuzzTarget(
        "plist", seeds: [SeedFiles("Tests/BGRunSchedulerInteropTests/Cases/launchd", ".plist")]
    ) { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        do {
            let job = try PropertyListValue(xml: text)
            let app = LaunchdReader.read(
                [("job.plist", job)], app: "local.launchd", origin: "job.plist")
            try check(app, of: bytes)
        } catch let problem as PropertyListValue.Problem {
            try hold((1...bytes.count + 1).contains(problem.line), "line \(problem.line)")
            try hold(problem.message.utf8.count < 2 * bytes.count + 100, problem.message)
        }
    }
}
