// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Glibc

/// The paths of a transfer's files.
struct FilePlaces: Equatable, Sendable {
    /// The partial file. In the directory of the destination, so that a rename suffices.
    var partial: String
    /// The complete file.
    var final: String
    /// Whether its app chose the path.
    var isChosen: Bool
    /// The directories that the chosen path and that of a resumed part must not leave: their app can change what is
    /// below them at any time. Nil: the paths may lead anywhere.
    var limits: [String]?

    /// - Parameters:
    ///   - downloads: The directory for files without their own path.
    ///   - app: Other apps may have a transfer with the same number in the same directory.
    init(_ transfer: Transfer, downloads: String, app: String) {
        limits = transfer.request.within.map { [$0, downloads] }
        if transfer.request.direction == .download, let file = transfer.request.file {
            // A slash before a combining character is not a slash for Swift.
            let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
            let start = slash.map { file.utf8.index(after: $0) } ?? file.startIndex
            let directory = file[..<start]
            let name = file[start...]
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

    /// Opens the directory of the chosen path; nil: the paths are used as they are.
    /// - Parameter creating: Whether missing directories are created.
    func openDirectory(creating: Bool) throws(TransferProblem) -> OpenDirectory? {
        guard isChosen, let limit = limits?.first else { return nil }
        return try Self.open(final, below: [limit], creating: creating)
    }

    /// Removes the partial file, if its directory can be opened.
    func removePartial() {
        guard let directory = try? openDirectory(creating: false) else {
            if limits == nil || !isChosen { unlink(partial) }
            return
        }
        unlink(directory.path(of: partial))
    }

    /// Opens the directory of the part from which the transfer resumes; nil: its path is used as it is.
    func openDirectory(of part: String) throws(TransferProblem) -> OpenDirectory? {
        guard let limits else { return nil }
        return try Self.open(part, below: limits, creating: false)
    }

    /// Opens the directory of the file to send; nil: its path is used as it is.
    static func openDirectory(ofSource request: TransferRequest) throws(TransferProblem)
        -> OpenDirectory?
    {
        guard let limit = request.within else { return nil }
        return try open(request.file ?? "", below: [limit], creating: false)
    }

    private static func open(
        _ path: String, below limits: [String], creating: Bool
    ) throws(TransferProblem) -> OpenDirectory {
        for limit in limits {
            guard let names = PlaceRule.names(of: path, below: limit) else { continue }
            return try OpenDirectory(
                names.dropLast(), below: limit, creating: creating ? 0o777 : nil
            ) { place, code -> TransferProblem in
                TransferProblem(file: place, doing: "opened without following links", errno: code)
            }
        }
        throw TransferProblem(
            .file, "\(path) is not permitted to a confined handler; \(PlaceRule.remedy)")
    }

    /// Eight hexadecimal digits (FNV-1a).
    private static func mark(of app: String) -> String {
        let hash = app.utf8.reduce(UInt32(2_166_136_261)) {
            ($0 ^ UInt32(clamping: $1)) &* 16_777_619
        }
        return hash.digits(8, radix: 16)
    }
}
