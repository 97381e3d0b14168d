// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Whether this process may compute on a graphics processor, by the rule of the host (`bgrun device`).
enum GraphicsProcessor {
    /// Whether a device node of one can be opened.
    ///
    /// - Parameter root: Replaces `/`; the host also uses `BGRUN_DEVICE_ROOT`.
    static func isUsable(
        below root: String = ProcessInfo.processInfo.environment["BGRUN_DEVICE_ROOT"] ?? ""
    ) -> Bool {
        let entries = try? FileManager.default.contentsOfDirectory(atPath: root + "/dev/dri")
        let nodes = (entries ?? []).filter { $0.hasPrefix("renderD") }.map { "/dev/dri/" + $0 }
        return (nodes + ["/dev/nvidia0", "/dev/kfd"]).contains {
            access(root + $0, R_OK | W_OK) == 0
        }
    }
}
