// SPDX-License-Identifier: Apache-2.0

import BGRunInspection
import BGRunManifest
import BGRunPolicy
import BGRunSupervisor

/// Checks a manifest's plugins and opens them for the supervisor.
struct PluginImages {
    let installation: Installation

    /// Keeps the checked file open until a worker has inherited it.
    private final class Owner {
        let file: PluginFile

        init(_ file: consuming PluginFile) { self.file = file }
    }

    struct Failure: Error {
        var refusal: PluginRefusal
        /// The failed check of the file; nil: no file was found.
        var check: PluginFileRefusal.Check?
    }

    func image(_ manifest: Manifest, _ name: String) -> Result<PluginImage, PluginRefusal> {
        check(manifest, name).mapError(\.refusal)
    }

    func check(_ manifest: Manifest, _ name: String) -> Result<PluginImage, Failure> {
        guard let plugin = manifest.plugins.first(where: { $0.name == name }) else {
            return .failure(
                Failure(refusal: PluginRefusal(message: "the manifest has no plugin \"\(name)\"")))
        }
        switch plugin.location {
        case .path(let path): return open(path, plugin.sha256)
        case .shipped(let shipped):
            if let path = installation.plugin(shipped) { return open(path, plugin.sha256) }
            let message =
                "the plugin \"\(shipped)\" is not installed with this bgrun; run `make plugins`, or "
                + "give its path"
            return .failure(Failure(refusal: PluginRefusal(message: message)))
        }
    }

    /// Loads a pinned plugin from the descriptor whose bytes were hashed. Loads others by path, so
    /// that their `$ORIGIN` works.
    private func open(_ path: String, _ sha256: String?) -> Result<PluginImage, Failure> {
        do throws(PluginFileRefusal) {
            let owner = Owner(try PluginFile.open(path: path, sha256: sha256))
            return .success(
                PluginImage(
                    displayPath: path, path: owner.file.resolvedPath,
                    descriptor: sha256 == nil ? nil : owner.file.descriptor, owner: owner))
        } catch {
            let refusal = PluginRefusal(
                message: error.message, shortage: error.systemError.flatMap { Resource(code: $0) })
            return .failure(Failure(refusal: refusal, check: error.check))
        }
    }
}
