// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import CBGRunShims
import Glibc

/// A directory for messages as files, one each, `*.json`. A file is removed when its message is on the disk, or moved
/// to `rejected` with a `.reason` beside it. A file dropped while no host runs is processed at the next start.
///
/// Names that begin with a dot or have another extension are ignored: a file is best written under such a name and then
/// renamed. Belongs to the loop's thread.
final class Inbox {
    /// The number of files that are being stored at a time.
    static let batch = 64
    /// How long a file without a complete message counts as being written.
    private static let timeout: Int64 = 10_000_000_000
    /// The pause before an unreadable file is read again.
    private static let readPause: Int64 = 1_000_000_000

    private static let unwatched = "it cannot be watched"

    /// Watches a directory; nil when it cannot be watched.
    typealias Watcher =
        (_ loop: EventLoop, _ path: String, _ heard: @escaping () -> Void) -> DirectoryWatch?

    private let sink: PushSink
    private let path: String
    private let task: String?
    private let source: String
    private let opener: RegularFile.Opener
    private let watcher: Watcher
    private var directory: InboxDirectory?
    private var watch: DirectoryWatch?
    private var parent: FileWatch?
    private var pump: LoopTimer?
    /// Names of files to read, the newest first.
    private var waiting: [String] = []
    private var inFlight: Set<String> = []
    /// Whether files may have been added since the last listing.
    private var isDirty = true
    /// When a file without a complete message is read again; on CLOCK_BOOTTIME.
    private var secondLook: Int64?
    private var state: PushSourceState
    /// Files that were processed and could not be removed.
    private var taken: TakenFiles

    /// - Parameters:
    ///   - task: The task of a message without one.
    ///   - memory: The file that records processed files that cannot be removed; nil: not recorded.
    ///   - opener: Opens the files.
    ///   - watcher: Watches the directory.
    init(
        _ sink: PushSink, path: String, task: String?, memory: String? = nil,
        opener: @escaping RegularFile.Opener = RegularFile.opener,
        watcher: @escaping Watcher = { DirectoryWatch($0, $1, heard: $2) }
    ) throws(SystemFailure) {
        self.sink = sink
        self.opener = opener
        self.watcher = watcher
        taken = TakenFiles(memory)
        self.path = path
        self.task = task
        source = "the inbox \(path)"
        state = PushSourceState(source: "inbox", place: path, problem: nil, since: sink.now())
        pump = try LoopTimer(sink.loop) { [unowned self] in read() }
        open()
        if state.problem == nil { sink.say(state) }
    }

    /// Reads all existing files first; for a host that runs only briefly.
    func readAll() {
        repeat {
            list()
            while let name = waiting.popLast() { take(name) }
        } while isDirty
    }

    // MARK: the directory

    private func reopen() {
        guard directory?.isThere != true else { return }
        open()
    }

    private func open() {
        watch = nil
        directory = nil
        watchPlace()
        do throws(RegularFile.Refusal) {
            directory = try InboxDirectory(path, opener: opener)
            watchFiles()
            note(isWatched ? nil : Self.unwatched)
            isDirty = true
            wake()
        } catch {
            note(error.reason)
            guard error.isPassing || parent == nil else { return }
            lookLater(in: Self.readPause)
            resume()
        }
    }

    private var isWatched: Bool { parent != nil && watch != nil }

    /// The directory may be removed or replaced.
    private func watchPlace() {
        guard parent == nil else { return }
        parent = try? FileWatch(sink.loop, path: path) { [unowned self] in reopen() }
    }

    private func watchFiles() {
        guard watch == nil else { return }
        watch = watcher(sink.loop, path) { [unowned self] in
            isDirty = true
            wake()
        }
    }

    /// Retries a failed watch; until then lists the files now and then.
    private func watchAgain() {
        watchPlace()
        watchFiles()
        guard isWatched else { return lookLater(in: Self.readPause) }
        if state.problem == Self.unwatched { note(nil) }
    }

    private func note(_ problem: String?) {
        guard state.problem != problem else { return }
        state.problem = problem
        state.since = sink.now()
        sink.say(state)
    }

    /// In the next round, so that others are served between two batches.
    private func wake(at elapsed: Int64 = 1) { pump?.set(elapsed: elapsed) }

    // MARK: files

    private func read() {
        if let date = secondLook, date <= bgrun_boottime_ns() { isDirty = true }
        if waiting.isEmpty, isDirty { list() }
        while inFlight.count < Self.batch, let name = waiting.popLast() { take(name) }
        resume()
    }

    /// The next step, once no file is being stored.
    private func resume() {
        guard inFlight.isEmpty else { return }
        if !waiting.isEmpty || isDirty { wake() } else if let secondLook { wake(at: secondLook) }
    }

    private func list() {
        isDirty = false
        secondLook = nil
        if !isWatched {
            watchAgain()
            // The watch may belong to a directory that has replaced this one.
            guard directory?.isThere == true else { return open() }
        }
        guard let names = directory?.names() else {
            if directory?.isThere == true { lookLater(in: Self.readPause) }
            return reopen()
        }
        // In order of arrival: of two messages the later one is the newer.
        taken.keep(only: names)
        waiting = names.filter { !inFlight.contains($0) }.reversed()
    }

    private func take(_ name: String) {
        guard let directory, !inFlight.contains(name) else { return }
        let file: InboxDirectory.File
        do throws(RegularFile.Refusal) {
            guard let found = try directory.read(name, limit: PushEnvelope.longest) else { return }
            file = found
        } catch {
            guard error.isPassing else { return reject(name, error.reason) }
            // Later files are newer, and must not be processed before it.
            waiting = []
            return lookLater(in: Self.readPause)
        }
        guard !taken.holds(directory.mark(of: file, name)) else { return }
        let offer: PushOffer
        do throws(PushRefusal) {
            offer = try PushEnvelope.read(file.bytes, task: task, sent: file.written)
        } catch {
            if error.mayBeUnfinished, file.age < Self.timeout {
                // The watch reports when its writer closes it; a writer may never do that.
                return lookLater(in: Self.timeout - file.age)
            }
            let reason = "\(error.reason): \(error.message)"
            return sink.deliver(.failure(error), "\(source), \(name)") { [weak self] _ in
                self?.reject(name, reason)
            }
        }
        inFlight.insert(name)
        sink.deliver(.success(offer), "\(source), \(name)") { [weak self] result in
            self?.finish(name, file, result)
        }
    }

    private func lookLater(in nanoseconds: Int64) {
        let date = bgrun_boottime_ns() + nanoseconds
        secondLook = min(secondLook ?? date, date)
    }

    private func finish(
        _ name: String, _ file: InboxDirectory.File, _ result: Result<PushReceipt, PushRefusal>
    ) {
        inFlight.remove(name)
        switch result {
        case .success:
            guard let directory, !directory.remove(name, ifStill: file) else { break }
            taken.add(directory.mark(of: file, name))
            note("\(name) was taken and cannot be removed; let this user write to the directory")
        case .failure(let refusal) where refusal.isPassing:
            lookLater(in: Self.timeout)
        case .failure(let refusal): reject(name, "\(refusal.reason): \(refusal.message)")
        }
        resume()
    }

    private func reject(_ name: String, _ reason: String) {
        do throws(RegularFile.Refusal) {
            try directory?.reject(name, reason)
        } catch {
            note("\(name) cannot be moved to rejected: \(error.reason)")
        }
    }
}

extension PushRefusal {
    /// Whether more data might complete the message in the file.
    fileprivate var mayBeUnfinished: Bool {
        switch self {
        case .payloadEmpty, .malformed: true
        default: false
        }
    }
}
