// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunDevice
import BGRunEventLoop
import BGRunStorage
import CBGRunShims
import FoundationEssentials
import Glibc

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Show device readings and their sources.",
        discussion: """
            Each reading has a source and a confidence: measured, derived, assumed or unknown. \
            `device:` in a manifest states readings in place of these.

            Example: bgrun device
            """)

    @Option(
        help: .value(
            "directory", "The state directory whose file system is examined.",
            discussion: "Default: $XDG_STATE_HOME/bgrun, else ~/.local/state/bgrun."),
        completion: .directory)
    var state: String?

    @Flag(help: "Continue, and print a line for each reading that changes, until a signal comes.")
    var watch = false

    @Flag(help: "Print JSON; with --watch one object a line.")
    var json = false

    func run() throws {
        let directory = try StateDirectory.base(
            state, StatePlaces.environment, Rights.startedAs)
        guard watch else {
            let rows = try DeviceSnapshot.take(stateDirectory: directory).rows
            print(json ? try JSONOutput.text(rows) : table(rows))
            return
        }
        try follow(directory)
    }

    private func table(_ rows: [DeviceReport.Row]) -> String {
        var table = Table("READING", "VALUE", "SOURCE", "CONFIDENCE", "BECAUSE")
        for row in rows {
            table.add(row.reading, row.value, row.source, row.confidence.rawValue, row.because)
        }
        return table.text
    }

    private func follow(_ directory: String) throws {
        bgrun_line_buffer_output()
        let loop = try EventLoop()
        let signals = try SignalSource(loop, [SIGINT, SIGTERM, SIGHUP]) { _ in loop.stop() }
        let device = try HostDevice(
            loop: loop, stateDirectory: directory, places: .environment)
        let printer = ReadingPrinter(json: json)
        device.observer = printer
        device.needs = .all
        loop.run()
        withExtendedLifetime((signals, device, printer)) {}
    }
}

/// Prints each reading that changes.
private final class ReadingPrinter: DeviceObserver {
    private let json: Bool
    private var last: [DeviceReport.Row] = []

    init(json: Bool) { self.json = json }

    func deviceReads(_ report: DeviceReport) {
        let rows = report.rows
        // A different number in the reasoning does not count as a change.
        let facts = { (row: DeviceReport.Row) in (row.value, row.source, row.confidence) }
        for (index, row) in rows.enumerated()
        where last.isEmpty || facts(row) != facts(last[index]) {
            show(row)
        }
        last = rows
    }

    private func show(_ row: DeviceReport.Row) {
        let now = Date.now.formatted(.iso8601)
        guard json else {
            return print(
                "\(now) \(row.reading): \(row.value) (\(row.confidence.rawValue): \(row.because))")
        }
        let line = [
            "at": now, "reading": row.reading, "value": row.value, "source": row.source,
            "confidence": row.confidence.rawValue, "because": row.because,
        ]
        JSONOutput.printLine(line)
    }
}
