// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol

@testable import BGRunEventLog

extension FuzzTarget {
    /// A file of a journal, and its replay. An input without the heading of a file is the records of one
    /// block; the target prepends the digest of the block, which a fuzzer cannot guess.
    static let journal = FuzzTarget(
        "journal", longest: 16_384,
        made: {
            let file = image(sampleRecords)
            return [sampleRecords, file, file.dropLast(9), recordsOfFormat5]
        }
    ) { bytes in
        let isFile = bytes.starts(with: JournalFile.heading.dropLast())
        let image = JournalImage(path: "journal", bytes: isFile ? bytes : image(bytes))
        var failure: (any Error)?
        var replay = Replay()
        var count = 0
        let reading = image.visit { number, record in
            count += 1
            do {
                try hold(number == count, "record \(count) has the number \(number)")
                try checkRoundTrip(record)
            } catch {
                failure = error
                return false
            }
            _ = replay.take(record)
            return true
        }
        if let failure { throw failure }
        try hold(reading.records == count, "\(count) records, \(reading.records) counted")
        try hold(reading.bytes <= image.bytes.count, "\(reading.bytes) bytes were read")
        try hold(reading.records <= bytes.count, "\(reading.records) records")
    }

    private static func checkRoundTrip(_ record: JournalRecord) throws {
        let bytes = written(record)
        var reader = WireReader(bytes)
        let again = try JournalRecord(from: &reader)
        try hold(reader.isAtEnd, "bytes are left of a record that was written")
        try hold(written(again) == bytes, "a record is another one when it is written and read")
    }

    private static func written(_ record: JournalRecord) -> [UInt8] {
        var writer = WireWriter()
        writer.put(record)
        return writer.bytes
    }

    /// A file with these records in one block.
    private static func image(_ records: [UInt8]) -> [UInt8] {
        JournalFile.heading + JournalFile.heading(of: records) + records
            + [UInt8](le: UInt32(records.count))
    }

    /// The records of a host that was started, used and ended.
    private static var sampleRecords: [UInt8] {
        guard let manifest = try? readManifest(contents("manifests/demo.yaml"))?.manifest else {
            return []
        }
        var writer = WireWriter()
        var engine = Engine(manifest.engineConfiguration, device: DeviceState())
        var now = Instant(elapsed: 1_000_000_000, wall: WallTime(milliseconds: 1_770_000_000_000))
        JournalRecord.Beginning.write(
            version: "1.0.0", app: manifest.app, at: now, .host, engine, to: &writer)
        let identifier = manifest.tasks.first?.declaration.identifier ?? ""
        let submission = Submission(identifier: identifier, delay: .seconds(1), parameters: "{}")
        let events: [Event] = [
            .start, .submit(submission, ticket: 1), .deviceChanged(DeviceState()),
            .appOpened(ticket: nil), .trigger(submission, ticket: nil),
            .attemptReported(attempt: 1), .attemptEnded(attempt: 1, .completed),
            .suspending(within: .seconds(5)), .resumed,
            .late(.cancelAll(ticket: 2), arrived: now), .appForceQuit(ticket: nil),
        ]
        for event in events {
            var random = Fixed()
            now = Instant(
                elapsed: now.elapsed + 1_000_000_000,
                wall: WallTime(milliseconds: now.wall.milliseconds + 1_000))
            let actions = engine.handle(event, at: now, using: &random)
            var scratch = WireWriter()
            let digest = actions.digest(&scratch)
            writer.put(
                JournalRecord.event(
                    JournaledEvent(at: now, random: Fixed.number, event: event, digest: digest)))
        }
        writer.put(JournalRecord.pause(pending: 3, now))
        writer.put(JournalRecord.end(now))
        return writer.bytes
    }

    /// Always returns the same number.
    private struct Fixed: RandomNumberGenerator {
        static let number: UInt64 = 7
        mutating func next() -> UInt64 { Self.number }
    }

    /// The journal in the tests of the format, which contain it as lines of hexadecimal digits.
    private static var recordsOfFormat5: [UInt8] {
        let source = String(
            decoding: contents("Tests/BGRunEventLogTests/Format5.swift"), as: UTF8.self)
        let digits = source.split(separator: "\n").map { $0.filter { $0 != " " } }
            .filter { $0.count > 8 && $0.allSatisfy(\.isHexDigit) }.joined()
        let bytes = Array(digits.utf8)
        return stride(from: 0, to: bytes.count - 1, by: 2).compactMap {
            UInt8(String(decoding: bytes[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
    }
}
