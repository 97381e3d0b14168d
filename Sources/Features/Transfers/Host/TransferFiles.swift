// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunPolicy
import BGRunStorage
import CBGRunShims
import FoundationEssentials
import Glibc

/// The files of transfers without a destination.
enum TransferFiles {
    /// The file that the service has left for an app to collect: a download, or the response to an
    /// upload. Nil: none.
    static func temporary(of transfer: Transfer, _ state: StateDirectory) -> String? {
        guard transfer.request.direction == .upload || transfer.request.file == nil else {
            return nil
        }
        return transfer.progress.file
    }

    /// Removes files that no app can collect any more: responses, downloads of delivered transfers,
    /// and partial files of finished transfers that cannot be resumed.
    /// - Parameter unkept: Transfers whose downloads could not be kept elsewhere.
    static func removeLeftovers(
        in state: StateDirectory, known: [Transfer], except unkept: Set<Int64> = []
    ) {
        let kept = unkept.union(known.filter(isWanted).map(\.id))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: state.downloads)) ?? []
        for name in names {
            let number = name.hasSuffix(".part") ? String(name.dropLast(5)) : name
            guard let id = Int64(number), "\(id)" == number, !kept.contains(id) else { continue }
            unlink("\(state.downloads)/\(name)")
        }
    }

    private static func isWanted(_ transfer: Transfer) -> Bool {
        guard transfer.isFinished, transfer.isDelivered else { return true }
        // Resume data refers to its partial file.
        return transfer.wanted == .cancelledResumable && transfer.progress.file != nil
    }

    /// The result for a download that its app has acknowledged.
    enum Keeping: Equatable {
        case moved
        case kept(String)
        /// It stays in its place.
        case failed(SystemFailure)
        /// `kept_downloads` is 0: remove it when its end is stored.
        case unwanted(String)
    }

    /// Moves a download that no app has collected to the directory of kept downloads. Of the files
    /// kept before, the newest remain.
    static func keep(
        _ transfer: Transfer, in state: StateDirectory, atMost count: Int, since date: WallTime
    ) -> Keeping {
        guard let file = transfer.progress.file else { return .moved }
        do throws(SystemFailure) {
            try SystemFailure.check(file, access(file, F_OK))
            guard count > 0 else { return .unwanted(file) }
            // If another file has that name, the move fails.
            if mkdir(state.keptDownloads, 0o700) != 0, errno != EEXIST {
                throw SystemFailure("making \(state.keptDownloads)", code: errno)
            }
            let path = "\(state.keptDownloads)/\(transfer.id)-\(name(of: transfer))"
            try SystemFailure.check("moving \(file) to \(path)", rename(file, path))
            prune(state, atMost: count, since: date)
            return .kept(path)
        } catch {
            return error == SystemFailure(file, code: ENOENT) ? .moved : .failed(error)
        }
    }

    /// The last component of the URL, so that a person can recognize the file.
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

    /// Removes files from before `date`, and the oldest if there are more than `count`.
    static func prune(_ state: StateDirectory, atMost count: Int, since date: WallTime) {
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: state.keptDownloads)) ?? []
        let files = names.map { name in
            var status = stat()
            let path = "\(state.keptDownloads)/\(name)"
            lstat(path, &status)
            // The time since it was stored, not the age of its contents.
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
