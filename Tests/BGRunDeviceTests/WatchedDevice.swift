// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunTestMachine
import Testing

@testable import BGRunDevice

/// A host device on a tree and a bus of the test, which waits for its reports.
final class WatchedDevice: DeviceObserver {
    let loop: EventLoop
    let tree: Tree
    private(set) var device: HostDevice?
    private(set) var reports: [DeviceReport] = []
    /// The reports of sleep; each stops the loop.
    private(set) var sleep: [String] = []
    private var isAwaited: ((DeviceReport) -> Bool)?

    init(_ tree: Tree, bus: String? = nil, listensToKernel: Bool = false) throws {
        self.tree = tree
        loop = try EventLoop()
        let places = HostDevice.Places(
            root: tree.root, bus: bus ?? "unix:path=\(tree.root)/no-bus",
            listensToKernel: listensToKernel)
        let device = try HostDevice(loop: loop, stateDirectory: tree.root, places: places)
        self.device = device
        device.observer = self
    }

    func deviceReads(_ report: DeviceReport) {
        reports.append(report)
        if isAwaited?(report) ?? false { loop.stop() }
    }

    func deviceSuspends(within time: Interval?) {
        sleep.append("suspending within \(time?.nanoseconds ?? 0)")
        loop.stop()
    }

    func deviceResumed() {
        sleep.append("resumed")
        loop.stop()
    }

    /// Returns the latest report if it satisfies `condition`, otherwise the next one that does.
    func report(where condition: @escaping (DeviceReport) -> Bool) throws -> DeviceReport {
        if let last = reports.last, condition(last) { return last }
        isAwaited = condition
        let deadline = try Deadline(loop)
        loop.run()
        isAwaited = nil
        try #require(!deadline.hasPassed, "no such report came; the last is \(reports.last as Any)")
        return try #require(reports.last)
    }

    func first() throws -> DeviceReport {
        try report { _ in true }
    }
}
