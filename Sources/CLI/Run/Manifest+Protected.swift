// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSystem

extension Manifest {
    /// The files that decide what runs next, besides installed plugins; absolute.
    var decidingFiles: [String] {
        let plugins = plugins.compactMap { plugin -> String? in
            if case .path(let path) = plugin.location { path } else { nil }
        }
        let libraries = tasks.flatMap { task -> [String] in
            guard case .foreign(let program) = task.action else { return [] }
            return program.calls.map(\.library).filter { $0.contains("/") }
                .map { $0.hasPrefix("/") ? $0 : directory + "/" + $0 }
        }
        return [absolutePath] + plugins + tasks.flatMap(\.environmentFiles) + libraries
    }

    /// The files that only a host reads: secrets, tokens, passwords and keys; absolute.
    var secretFiles: [String] {
        let ofTasks = tasks.flatMap(\.secrets).compactMap { secret -> String? in
            if case .file(let path) = secret.source { path } else { nil }
        }
        let ofHooks = hooks.compactMap { hook -> String? in
            if case .post(_, let file, _) = hook.action { file } else { nil }
        }
        let ofTransfers = transfers.flatMap { [$0.credentials, $0.key] }
        let ofPushes = [push?.webhook?.token, push?.mqtt?.credentials]
        return ofTasks + ofHooks + (ofTransfers + ofPushes).compactMap(\.self)
    }
}
