// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunManifest
import BGRunPolicy
import FoundationEssentials

/// The data for a plugin about a download that it cancelled, to resume it (Apple: resumeData). Opaque to plugins.
struct ResumeData: Codable {
    var url: String
    var method: String?
    var headers: [TransferRequest.Header]
    /// The received part.
    var file: String
    var validator: String

    /// Nil if there is no part, or the server's response does not allow a resume.
    init?(_ transfer: Transfer) {
        guard transfer.progress.result == .cancelled, let file = transfer.progress.file,
            let validator = transfer.progress.validator
        else { return nil }
        url = transfer.request.url
        method = transfer.request.method
        headers = transfer.request.headers
        self.file = file
        self.validator = validator
    }

    var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }
}

extension [TransferRequest.Header] {
    /// Header fields from a plugin: a JSON object of strings. Nil if it is invalid, or a field could end the header or
    /// contain another one.
    init?(json: String) {
        guard let fields = try? JSONDecoder().decode([String: String].self, text: json.utf8)
        else { return nil }
        let isClean = fields.allSatisfy { name, value in
            !name.isEmpty
                && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
                && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }
        guard isClean else { return nil }
        self = fields.sorted { $0.key < $1.key }.map { TransferRequest.Header($0, $1) }
    }
}
