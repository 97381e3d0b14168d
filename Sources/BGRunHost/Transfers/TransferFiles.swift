// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunStore
import BGRunTransfer
import CBGRunShims
import Foundation
import Glibc

/// The files of transfers that have no place of their own.
enum TransferFiles {
    /// What the service has left for an app to take: a download, or the answer to an upload. Nil: it has no
    /// such file.
    static func temporary(of transfer: Transfer, _ state: StateDirectory) -> String? {
        guard transfer.request.direction == .upload || transfer.request.file == nil else {
            return nil
        }
        return transfer.progress.file
    }

    /// Removes what belongs to no transfer that somebody could still take it of: answers, downloads of
    /// transfers that were delivered, and parts of those that have finished and cannot go on.
    static func removeLeftovers(in state: StateDirectory, known: [Transfer]) {
        let kept = Set(known.filter(isWanted).map(\.id))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: state.downloads)) ?? []
        for name in names {
            let number = name.hasSuffix(".part") ? String(name.dropLast(5)) : name
            guard let id = Int64(number), "\(id)" == number, !kept.contains(id) else { continue }
            unlink("\(state.downloads)/\(name)")
        }
    }

    private static func isWanted(_ transfer: Transfer) -> Bool {
        guard transfer.isFinished, transfer.isDelivered else { return true }
        // Resume data names what is there of it.
        return transfer.wanted == .cancelledResumable && transfer.progress.file != nil
    }

    /// Moves a download that no app has taken to where people find it, and returns the new path; nil: it is
    /// gone, or cannot be moved. Of what was kept before, the newest stay.
    static func keep(
        _ transfer: Transfer, in state: StateDirectory, atMost count: Int, since date: WallTime
    ) -> String? {
        guard count > 0, let file = transfer.progress.file, access(file, F_OK) == 0 else {
            return nil
        }
        mkdir(state.keptDownloads, 0o700)
        let path = "\(state.keptDownloads)/\(transfer.id)-\(name(of: transfer))"
        guard rename(file, path) == 0 else { return nil }
        prune(state, atMost: count, since: date)
        return path
    }

    /// The last part of the address, so that a person knows what it is.
    private static func name(of transfer: Transfer) -> String {
        let last = URL(string: transfer.request.url)?.lastPathComponent ?? ""
        let plain = last.unicodeScalars.filter { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic
                    || "0123456789.-_".unicodeScalars.contains(scalar))
        }
        let text = String(String.UnicodeScalarView(plain)).drop { $0 == "." }.suffix(100)
        return text.isEmpty ? "download" : String(text)
    }

    /// Removes those from before `date`, and the oldest of more than `count`.
    static func prune(_ state: StateDirectory, atMost count: Int, since date: WallTime) {
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: state.keptDownloads)) ?? []
        let files = names.map { name in
            var status = stat()
            let path = "\(state.keptDownloads)/\(name)"
            lstat(path, &status)
            // Since when it is there, not how old its content is.
            return (
                path: path, changed: Int64(status.st_ctim.tv_sec),
                nanoseconds: status.st_ctim.tv_nsec
            )
        }.sorted { ($0.changed, $0.nanoseconds, $0.path) > ($1.changed, $1.nanoseconds, $1.path) }
        for (place, file) in files.enumerated()
        where place >= count || file.changed < date.milliseconds / 1_000 {
            unlink(file.path)
        }
    }
}
