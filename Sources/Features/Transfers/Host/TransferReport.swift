// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost
import BGRunPolicy

/// What the task is told that follows a transfer.
struct TransferReport: Codable, Hashable {
    /// As the manifest declares it; left out of one that was added.
    var name: String?
    var session: String
    var url: String
    /// The file that came, or was sent.
    var file: String?
    var bytes: Int64
    var sha256: String?
    /// The last status of the server.
    var status: Int?
    /// What went wrong, in a word and in a sentence.
    var failure: String?
    var error: String?

    init(_ transfer: Transfer) {
        let progress = transfer.progress
        name = transfer.name
        session = transfer.request.session
        url = transfer.request.url
        let isUpload = transfer.request.direction == .upload
        file = isUpload ? transfer.request.file : progress.file ?? transfer.request.file
        bytes = progress.bytes
        sha256 = transfer.request.sha256
        status = progress.status
        if progress.result == .failed {
            failure = progress.failure?.rawValue
            error = progress.problem
        }
    }

    /// `{"transfer": {...}}`
    var parameters: String { [Self.key: self].sortedJSON }

    /// Whether parameters tell of a transfer.
    static func isTold(by parameters: String?) -> Bool {
        parameters?.contains("\"\(key)\":") ?? false
    }

    private static let key = "transfer"
}
