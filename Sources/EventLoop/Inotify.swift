// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The events in directories, for all observers of one loop: a user may have few instances of inotify
/// (usually 128), and a host has several watches.
///
/// Exists as long as its observers. Belongs to the loop's thread.
final class Inotify {
    private unowned let loop: EventLoop
    private let descriptor: Int32
    /// The observers by watch descriptor.
    private var watchers: [Int32: [Int: (mask: UInt32, heard: ([Event]) -> Void)]] = [:]
    private var lastNumber = 0

    /// The maximum number of reads in one round: the rest is ready in the next one, after other
    /// descriptors.
    static let mostReads = 16

    struct Event {
        var mask: UInt32
        /// Empty for an event of the directory itself.
        var name: String
    }

    /// One watch of one directory, for `remove`.
    struct Token: Hashable {
        fileprivate let watch: Int32
        fileprivate let number: Int
    }

    /// The instance of `loop`; creates it if missing.
    static func of(_ loop: EventLoop) throws(SystemFailure) -> Inotify {
        if let inotify = loop.inotify { return inotify }
        let inotify = try Inotify(loop)
        loop.inotify = inotify
        return inotify
    }

    private init(_ loop: EventLoop) throws(SystemFailure) {
        self.loop = loop
        descriptor = try SystemFailure.check(
            "inotify_init1", inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)))
        // If it throws, `deinit` runs: every property must be set.
        try loop.watch(descriptor) { [unowned self] _ in drain() }
    }

    deinit {
        loop.forget(descriptor)
        close(descriptor)
    }

    /// Calls `heard` with the events of `mask` in `directory`, several at a time; one with IN_Q_OVERFLOW
    /// reports that some were lost.
    func add(
        _ directory: String, _ mask: Int, heard: @escaping ([Event]) -> Void
    ) throws(SystemFailure) -> Token {
        let mask = UInt32(mask)  // fits: a constant
        let watch = try SystemFailure.check(
            "inotify_add_watch",
            inotify_add_watch(
                descriptor, directory, mask | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD)))
        lastNumber += 1
        watchers[watch, default: [:]][lastNumber] = (mask: mask, heard: heard)
        return Token(watch: watch, number: lastNumber)
    }

    func remove(_ token: Token) {
        guard watchers[token.watch]?.removeValue(forKey: token.number) != nil else { return }
        guard watchers[token.watch]?.isEmpty ?? false else { return }
        watchers[token.watch] = nil
        inotify_rm_watch(descriptor, token.watch)
    }

    private func drain() {
        var events: [Int32: [Event]] = [:]
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            for _ in 0..<Self.mostReads {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { break }
                Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &events)
            }
        }
        // An observer may remove its own watch, or others.
        let everybody = watchers.flatMap { watch, those in
            those.keys.map { Token(watch: watch, number: $0) }
        }.sorted { $0.number < $1.number }
        for token in everybody {
            guard let watcher = watchers[token.watch]?[token.number] else { continue }
            let relevant = ((events[token.watch] ?? []) + (events[-1] ?? [])).filter {
                $0.mask & (watcher.mask | UInt32(IN_Q_OVERFLOW)) != 0
            }
            if !relevant.isEmpty { watcher.heard(relevant) }
        }
        // The directory was removed, and its number may be reused.
        for (watch, those) in events
        where those.contains(where: { $0.mask & UInt32(IN_IGNORED) != 0 }) {
            watchers[watch] = nil
        }
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer, into events: inout [Int32: [Event]])
    {
        var offset = 0
        let size = MemoryLayout<inotify_event>.size
        while offset + size <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + size + Int(event.len)
            let name = bytes[min(offset + size, bytes.count)..<min(end, bytes.count)]
            events[event.wd, default: []].append(
                Event(
                    mask: event.mask, name: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
                ))
            offset = end
        }
    }
}
