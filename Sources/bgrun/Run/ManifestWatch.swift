// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunLoop
import BGRunManifest

/// Has a host go by its manifest as the file is now. One that is bad is left aside: the one before
/// stays in effect.
///
/// Belongs to the loop's thread.
final class ManifestWatch {
    private let watch: FileWatch

    /// - Parameter showing: Whether what is wrong is shown in full, besides the line of the log.
    init(
        _ loop: EventLoop, path: String, _ host: Host, showing: Bool
    ) throws(SystemFailure) {
        watch = try FileWatch(loop, path: path) {
            do throws(ManifestProblems) {
                let reading = try ManifestReader.read(path: path, options: .installed())
                if showing { Diagnostics.show(reading.warnings) }
                host.reload(reading.manifest)
            } catch {
                if showing { Diagnostics.show(error.diagnostics) }
                host.refuseManifest(error.diagnostics.first?.line ?? path)
            }
        }
    }
}
