// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunManifest
import Glibc

/// Applies changes of a manifest file to a host. Ignores an invalid file: the previous manifest stays in effect.
///
/// Belongs to the loop's thread.
final class ManifestWatch {
    private let file: ManifestFile
    private let host: Host
    private let isHosted: Bool
    private let isShowing: Bool
    private var watch: FileWatch?

    /// - Parameters:
    ///   - isHosted: A daemon runs the host: the host ends when the manifest becomes one of another app or user, whose
    ///     host the daemon then starts.
    ///   - showing: Whether to show problems in full, besides the line of the log. A daemon shows errors itself.
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
            // A host works without it, too: changes then apply from the next host on.
            complain("changes of \(file.path) are not noticed: \(error)")
        }
        // The file may have changed between the first reading and now.
        loop.afterThisRound { [unowned self] in read() }
    }

    /// Reads the manifest, and applies it to the host.
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
