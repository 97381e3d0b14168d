// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// An unfinished transfer in the memory of the service. Its progress is authoritative until it is stored, since only
/// the service writes it.
final class Entry {
    let id: Int64
    var transfer: Transfer
    let places: FilePlaces
    /// The host of its URL, by which connections are counted. Nil: its URL is invalid.
    let host: String?
    /// Its present run; nil: it waits.
    var run: TransferRun?
    /// Why it waits; nil: it runs, or was not examined yet.
    var wait: TransferWait?
    /// CLOCK_BOOTTIME; see `deadline(asOf:boot:)`.
    private var deadline: Int64?
    /// The most bytes it had at its last failure: only further bytes reset its failures.
    var highWater: Int64

    init(_ transfer: Transfer, downloads: String, app: String) {
        id = transfer.id
        self.transfer = transfer
        places = FilePlaces(transfer, downloads: downloads, app: app)
        host = WebAddress(transfer.request.url).map { "\($0.host):\($0.port)" }
        highWater = transfer.progress.bytes
    }

    var request: TransferRequest { transfer.request }

    var progress: TransferProgress {
        get { transfer.progress }
        set { transfer.progress = newValue }
    }

    /// When it times out, on CLOCK_BOOTTIME; nil: it has not begun.
    func deadline(asOf elapsed: Int64, boot: String) -> Int64? {
        if let deadline { return deadline }
        guard progress.began != nil else { return nil }
        countTime(to: elapsed, boot)
        deadline = progress.activeTime.deadline(request.resourceTimeout)
        return deadline
    }

    /// Updates the time since its start.
    func countTime(to elapsed: Int64, _ boot: String) {
        if progress.began != nil { transfer.progress.activeTime.count(to: elapsed, boot: boot) }
    }

    /// Records that this many bytes are there now.
    func reach(_ bytes: Int64) {
        transfer.progress.bytes = bytes
        if bytes > highWater, transfer.progress.failures > 0 { transfer.progress.failures = 0 }
    }
}
