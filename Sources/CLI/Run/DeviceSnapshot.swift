// SPDX-License-Identifier: Apache-2.0

import BGRunDevice
import BGRunEventLoop

enum DeviceSnapshot {
    /// The state of this machine, once all sources have reported.
    static func take(stateDirectory: String) throws(SystemFailure) -> DeviceReport {
        let loop = try EventLoop()
        let device = try HostDevice(
            loop: loop, stateDirectory: stateDirectory, places: .environment, awaitsBus: false)
        device.awaitCompletion()
        return device.report
    }
}
