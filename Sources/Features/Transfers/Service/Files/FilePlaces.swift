// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The paths of a transfer's files.
struct FilePlaces: Equatable, Sendable {
    /// The partial file. In the directory of the destination, so that a rename suffices.
    var partial: String
    /// The complete file.
    var final: String
    /// Whether its app chose the path.
    var isChosen: Bool

    /// - Parameters:
    ///   - downloads: The directory for files without their own path.
    ///   - app: Other apps may have a transfer with the same number in the same directory.
    init(_ transfer: Transfer, downloads: String, app: String) {
        if transfer.request.direction == .download, let file = transfer.request.file {
            let slash = file.lastIndex(of: "/")
            let directory = slash.map { file[...$0] } ?? ""
            let name = slash.map { file[file.index(after: $0)...] } ?? file[...]
            // A name has at most 255 bytes.
            var kept = name
            while kept.utf8.count > 200 { kept.removeLast() }
            partial = "\(directory).\(kept).bgrun-\(transfer.id)-\(Self.mark(of: app)).part"
            final = file
            isChosen = true
        } else {
            final = "\(downloads)/\(transfer.id)"
            partial = final + ".part"
            isChosen = false
        }
    }

    /// Eight hexadecimal digits (FNV-1a).
    private static func mark(of app: String) -> String {
        let hash = app.utf8.reduce(UInt32(2_166_136_261)) {
            ($0 ^ UInt32(clamping: $1)) &* 16_777_619
        }
        return hash.digits(8, radix: 16)
    }
}
