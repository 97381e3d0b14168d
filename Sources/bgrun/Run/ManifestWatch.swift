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

    /// - Parameters:
    ///   - options: Those of the app; the manifest is read by them.
    ///   - isHosted: A daemon runs the host: it ends when the manifest is one of another app, whose host
    ///     the daemon starts then.
    ///   - showing: Whether what is wrong is shown in full, besides the line of the log.
    init(
        _ loop: EventLoop, _ options: ManifestOptions, _ host: Host, isHosted: Bool, showing: Bool
    ) throws(SystemFailure) {
        func read() {
            do throws(ManifestProblems) {
                let reading = try options.reading(isHosted: isHosted)
                if showing { Diagnostics.show(reading.warnings) }
                if isHosted, reading.manifest.app != host.manifest.app { return host.shutDown() }
                host.reload(reading.manifest)
            } catch {
                if showing { Diagnostics.show(error.diagnostics) }
                host.refuseManifest(error.diagnostics.first?.line ?? options.manifest)
            }
        }
        watch = try FileWatch(loop, path: options.manifest, changed: read)
        // It may have been written between the first reading and now.
        loop.afterThisRound(read)
    }
}
