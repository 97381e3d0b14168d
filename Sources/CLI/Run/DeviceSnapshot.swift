// SPDX-License-Identifier: Apache-2.0

import BGRunDevice
import BGRunEventLoop

enum DeviceSnapshot {
    /// What the machine says now, once everything that can tell has told.
    static func take(stateDirectory: String) throws(SystemFailure) -> DeviceReport {
        let loop = try EventLoop()
        let device = try HostDevice(
            loop: loop, stateDirectory: stateDirectory, places: .environment, awaitsBus: false
        ) { _ in }
        device.completed = { loop.stop() }
        loop.run()
        return device.report
    }
}
