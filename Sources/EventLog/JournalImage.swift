// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Glibc

/// The bytes of one journal file at the time of reading. Its host may continue writing.
package struct JournalImage: Sendable {
    package var path: String
    var bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// The result of reading a file.
    package struct Reading: Equatable, Sendable {
        package var records: Int
        package var bytes: Int
        package var ending: Ending
    }

    package enum Ending: Equatable, Sendable {
        case whole
        /// The last block is truncated.
        case torn
        /// The caller stopped the reading.
        case stopped
        /// The remaining bytes were not written by a host.
        case damaged(String)
    }

    /// The damage and its position, after `reading`; nil without damage.
    func damage(_ reading: Reading) -> String? {
        guard case .damaged(let reason) = reading.ending else { return nil }
        return "\(path) is damaged at byte \(reading.bytes): \(reason)"
    }

    /// Visits the records in order, with their numbers from 1 on, until `visit` returns false.
    func visit(_ visit: (Int, JournalRecord) -> Bool) -> Reading {
        var reading = Reading(records: 0, bytes: 0, ending: .whole)
        guard
            JournalFile.readable.contains(where: { bytes.starts(with: JournalFile.heading(of: $0)) }
            )
        else {
            reading.ending = headingProblem
            return reading
        }
        reading.bytes = JournalFile.heading.count
        while true {
            switch JournalFile.next(bytes, at: reading.bytes) {
            case .end(let isTorn):
                reading.ending = isTorn ? .torn : .whole
                return reading
            case .damaged:
                reading.ending = .damaged("the block's length or digest is wrong")
                return reading
            case .block(let records, let next):
                if let ending = self.visit(records, &reading, visit) {
                    reading.ending = ending
                    return reading
                }
                reading.bytes = next
            }
        }
    }

    private func visit(
        _ block: Range<Int>, _ reading: inout Reading, _ visit: (Int, JournalRecord) -> Bool
    ) -> Ending? {
        var reader = WireReader(bytes[block])
        while !reader.isAtEnd {
            do throws(WireError) {
                let record = try JournalRecord(from: &reader)
                reading.records += 1  // fits: a count of records in memory
                if !visit(reading.records, record) { return .stopped }
            } catch {
                switch error {
                case .malformed(let reason):
                    // fits: a count of records in memory
                    return .damaged("record \(reading.records + 1): \(reason)")
                }
            }
        }
        return nil
    }

    private var headingProblem: Ending {
        let name = JournalFile.heading.dropLast()
        let written = zip(bytes, JournalFile.heading).prefix { $0 == $1 }.count
        if JournalFile.isZero(bytes, from: written) { return bytes.isEmpty ? .whole : .torn }
        guard bytes.starts(with: name) else { return .damaged("it is not a journal of bgrun") }
        return .damaged(
            "it has format \(bytes[name.count]) and this bgrun reads "
                + "\(JournalFile.readable.lowerBound) to \(JournalFile.readable.upperBound)")
    }

    package static func read(_ path: String) throws(JournalFailure) -> JournalImage {
        let file = try OpenFile(path)
        return JournalImage(path: path, bytes: try file.bytes())
    }

    /// Reads the existing files, the older first; empty without a journal.
    package static func read(_ paths: JournalPaths) throws(JournalFailure) -> [JournalImage] {
        // A host may replace the other file by the current one between two checks.
        while true {
            let current = try OpenFile.ifPresent(paths.current)
            let previous = try OpenFile.ifPresent(paths.previous)
            guard try OpenFile.ifPresent(paths.current)?.inode == current?.inode else { continue }
            var images: [JournalImage] = []
            for case let file? in [previous, current] {
                images.append(JournalImage(path: file.path, bytes: try file.bytes()))
            }
            return images
        }
    }
}

/// A file that stays open for reading until this is released.
private final class OpenFile {
    let path: String
    private let descriptor: Int32
    private var status = stat()

    init(_ path: String) throws(JournalFailure) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw JournalFailure(path, errno) }
        guard fstat(descriptor, &status) == 0 else { throw JournalFailure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw JournalFailure(path, EINVAL) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    var inode: UInt64 { UInt64(status.st_ino) }

    static func ifPresent(_ path: String) throws(JournalFailure) -> OpenFile? {
        do throws(JournalFailure) {
            return try OpenFile(path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    func bytes() throws(JournalFailure) -> [UInt8] {
        let size = Int(status.st_size)
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let done = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
                if done < 0 { code = errno }
                guard done > 0 else { return }
                count += done
            }
        }
        guard code == 0 else { throw JournalFailure(path, code) }
        return bytes
    }
}
