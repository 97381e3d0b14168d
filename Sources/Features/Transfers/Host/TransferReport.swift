// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost
import BGRunPolicy

/// The parameters of a task about a finished transfer.
struct TransferReport: Codable, Equatable {
    /// The name in the manifest; omitted if it was added otherwise.
    var name: String?
    var session: String
    var url: String
    /// The received or sent file.
    var file: String?
    var bytes: Int64
    var sha256: String?
    /// The last status of the server.
    var status: Int?
    /// The failure as a word and as a sentence.
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

    /// Whether parameters contain a transfer.
    static func isTold(by parameters: String?) -> Bool {
        parameters?.contains("\"\(key)\":") ?? false
    }

    private static let key = "transfer"
}
