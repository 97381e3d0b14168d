// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunManifest
import Glibc

/// Has a host go by its manifest as the file is now. One that is bad is left aside: the one before
/// stays in effect.
///
/// Belongs to the loop's thread.
final class ManifestWatch {
    private let file: ManifestFile
    private let host: Host
    private let isHosted: Bool
    private let isShowing: Bool
    private var watch: FileWatch?

    /// - Parameters:
    ///   - isHosted: A daemon runs the host: it ends when the manifest is one of another app, or of
    ///     another user, whose host the daemon starts then.
    ///   - showing: Whether what is wrong is shown in full, besides the line of the log. A daemon shows errors itself.
    init(
        _ loop: EventLoop, _ file: ManifestFile, _ host: Host, isHosted: Bool, showing: Bool
    ) {
        self.file = file
        self.host = host
        self.isHosted = isHosted
        isShowing = showing
        do throws(SystemFailure) {
            watch = try FileWatch(loop, path: file.path) { [unowned self] in read() }
        } catch {
            // A host works without it, too: what is changed then counts from the next one on.
            complain("changes of \(file.path) are not noticed: \(error)")
        }
        // It may have been written between the first reading and now.
        loop.afterThisRound { [unowned self] in read() }
    }

    /// Reads the manifest, and has the host go by it.
    func read() {
        do throws(ManifestProblems) {
            let reading = try file.reading(isHosted: isHosted || geteuid() == 0)
            let next = reading.manifest
            if isShowing, !next.saysTheSame(as: host.manifest) {
                Diagnostics.show(reading.warnings)
            }
            let isAnothers = next.app != host.manifest.app || next.account != host.manifest.account
            if isHosted, isAnothers { return host.shutDown() }
            if let refusal = HostAccount.refusal(of: next) { return host.refuseManifest(refusal) }
            host.reload(next)
        } catch {
            if isShowing, !isHosted { Diagnostics.show(error.diagnostics) }
            host.refuseManifest(error.firstError?.line ?? file.path)
        }
    }
}
