// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunManifest
import BGRunPolicy
import FoundationEssentials

/// What a plugin is given of a download it has cancelled, to continue from (Apple: resumeData). Opaque to
/// plugins.
struct ResumeData: Codable {
    var url: String
    var method: String?
    var headers: [TransferRequest.Header]
    /// The part that is there.
    var file: String
    var validator: String

    /// Nil when nothing is there, or the server's answer does not allow to continue.
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
    /// Header fields as plugins write them: a JSON object of strings. Nil if it is invalid, or a field
    /// could end the header or hold another one.
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
