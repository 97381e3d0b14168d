// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Has the kernel tell when a file was written or replaced (inotify). What is told is the name, not
/// the content: whoever watches compares.
///
/// It is the directories that are watched, of the path and of where its symbolic links lead, so that
/// editors and installers may put a new file in its place. Belongs to the loop's thread.
public final class FileWatch {
    private let loop: EventLoop
    private let path: String
    private let descriptor: Int32
    private let changed: () -> Void
    /// By watch descriptor, the names that matter there.
    private var names: [Int32: Set<String>] = [:]

    /// Kubernetes puts another directory in place of the one this link names.
    private static let volumeLink = "..data"

    public init(
        _ loop: EventLoop, path: String, changed: @escaping () -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.path = path
        self.changed = changed
        descriptor = try SystemFailure.check(
            "inotify_init1", inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)))
        do throws(SystemFailure) {
            try look()
            try loop.watch(descriptor) { [unowned self] _ in drain() }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        loop.forget(descriptor)
        close(descriptor)
    }

    private func look() throws(SystemFailure) {
        try watch(path)
        if let target = realpath(path, nil) {
            defer { free(target) }
            try watch(String(cString: target))
        }
    }

    private func watch(_ path: String) throws(SystemFailure) {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let watch = try SystemFailure.check(
            "inotify_add_watch",
            inotify_add_watch(
                descriptor, directory, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR)))
        names[watch, default: [Self.volumeLink]].insert(name)
    }

    private func drain() {
        var isChanged = false
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                if concerns(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { isChanged = true }
            }
        }
        guard isChanged else { return }
        // A link may lead elsewhere now; without a watch there the old ones remain.
        try? look()
        changed()
    }

    private func concerns(_ events: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        let size = MemoryLayout<inotify_event>.size
        while offset + size <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + size + Int(event.len)
            // Events were lost: it may have been among them.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            let name = String(
                decoding: events[offset + size..<min(end, events.count)].prefix { $0 != 0 },
                as: UTF8.self)
            if names[event.wd]?.contains(name) ?? false { return true }
            offset = end
        }
        return false
    }
}
