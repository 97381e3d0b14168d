// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import Testing

@testable import BGRunEventLog

@Suite("The codec of records", .timeLimit(.minutes(10)))
struct CodecTests {
    @Test("an event of each kind is read back unchanged", arguments: 1...100 as ClosedRange<UInt64>)
    func events(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for event in random.events() { #expect(try Self.copy(event) == event) }
    }

    @Test(
        "an action of each kind is read back unchanged", arguments: 1...100 as ClosedRange<UInt64>)
    func actions(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for action in random.actions() { #expect(try Self.copy(action) == action) }
        for reply in random.replies() { #expect(try Self.copy(reply) == reply) }
        for refusal in random.refusals() { #expect(try Self.copy(refusal) == refusal) }
        for record in random.records() { #expect(try Self.copy(record) == record) }
    }

    @Test(
        "a configuration with every number of its policy is read back unchanged",
        arguments: 1...100 as ClosedRange<UInt64>)
    func configurations(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let configuration = random.configuration()
        let copy = try Self.copy(configuration)
        #expect(copy.permitted == configuration.permitted)
        #expect(copy.declarations == configuration.declarations)
        #expect(copy.modes == configuration.modes)
        #expect(copy.policy == configuration.policy)
        #expect(copy.digest == configuration.digest)
        #expect(random.configuration().digest != configuration.digest)
    }

    @Test("readings that were added later take no bytes while they are unknown")
    func laterReadings() throws {
        var sizes: [Reading: Int] = [:]
        for memory in [Reading.unknown, .no, .yes] {
            for gpu in [Reading.unknown, .no, .yes] {
                let device = DeviceState(network: .yes, gpu: gpu, memoryLow: memory)
                #expect(try Self.copy(device) == device)
                var writer = WireWriter()
                writer.put(device)
                sizes[memory] = writer.bytes.count
                if memory == .unknown {
                    #expect(writer.bytes.last == UInt8(bitPattern: gpu.rawValue))
                }
            }
        }
        #expect(sizes == [.unknown: 10, .no: 15, .yes: 15])
    }

    @Test(
        "a limit is the tag 7 and that of its resource, which are not reused",
        arguments: [
            (LimitedResource.memory, 0), (.processorTime, 1), (.fileSize, 2),
        ] as [(LimitedResource, UInt8)])
    func limits(resource: LimitedResource, tag: UInt8) throws {
        var writer = WireWriter()
        writer.put(Outcome.limited(resource))
        #expect(writer.bytes == [7, tag])
        #expect(try Self.copy(Outcome.limited(resource)) == .limited(resource))
        var reader = WireReader([7, 3])
        #expect(throws: WireError.self) { try Outcome(from: &reader) }
    }

    @Test("annotations of requests and tasks are read back unchanged")
    func annotations() throws {
        let annotations = Annotations(tags: ["nightly", "sync"])
        var random = SplitMix(seed: 5)
        for parameters in [nil, "{}"] {
            let request = TaskRequest(
                id: 3, identifier: "a", kind: .continued, submitted: random.wall(),
                parameters: parameters, requires: .gpu, isOnlyImmediate: true,
                annotations: annotations)
            let copy = try Self.copy(request)
            #expect(copy == request && copy.annotations == annotations)
            let pending = Engine.Snapshot.Pending(
                request: request, placed: nil, since: 1, stage: .ready)
            #expect(try Self.copy(pending) == pending)
            let submission = Submission(
                identifier: "a", parameters: parameters, isOnlyImmediate: true,
                annotations: annotations)
            let event = Event.submit(submission, ticket: 5)
            #expect(try Self.copy(event) == event)
        }
        let event = Event.cancelAnnotated("tag:a", ticket: 5)
        #expect(try Self.copy(event) == event)
        var configuration = random.configuration()
        let digest = configuration.digest
        for index in configuration.declarations.indices {
            configuration.declarations[index].annotations = annotations
        }
        #expect(try Self.copy(configuration).declarations == configuration.declarations)
        #expect(configuration.digest != digest)
    }

    @Test("an unknown presence byte is malformed")
    func unknownPresence() {
        var writer = WireWriter()
        writer.put(Submission(identifier: "a", parameters: "{}"))
        var bytes = writer.bytes
        // The place after the identifier and the missing delay.
        #expect(bytes[6] == 1)
        bytes[6] = 4
        var reader = WireReader(bytes[...])
        #expect(throws: WireError.self) { try Submission(from: &reader) }
    }

    @Test(
        "a pending request at any stage is read back unchanged",
        arguments: 1...100 as ClosedRange<UInt64>)
    func pending(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for stage in [.delayed(until: random.integer()), .ready, .parked] as [Engine.Snapshot.Stage]
        {
            var request = random.request()
            request.isSpaced = seed.isMultiple(of: 2)
            let pending = Engine.Snapshot.Pending(
                request: request, placed: random.maybe(random.wall()), since: random.integer(),
                stage: stage)
            #expect(try Self.copy(pending) == pending)
        }
    }

    @Test("each case has its own tag, and different values have different bytes")
    func tags() {
        var random = SplitMix(seed: 1)
        for values in [Self.bytes(random.events()), Self.bytes(random.actions())] {
            #expect(Set(values.map { $0[0] }).count == values.count)
        }
        #expect(Set(Self.bytes(random.replies())).count == 7)
        #expect(Set(Self.bytes(random.refusals())).count == 7)
        #expect(Set(Self.bytes(random.records())).count == 21)
    }

    @Test("a refusal that only a host makes is read back, although no record has it")
    func postponed() throws {
        var random = SplitMix(seed: 1)
        let refusal = Refusal.postponed(identifier: "a", reason: "b")
        #expect(try Self.copy(refusal) == refusal)
        let tags = Self.bytes(random.refusals()).map { $0[0] }
        #expect(!tags.contains(Self.bytes([refusal])[0][0]))
    }

    @Test("changed or truncated bytes give an error or another value, never a crash")
    func mutations() {
        var random = SplitMix(seed: 2)
        for _ in 0..<200 {
            for event in random.events() {
                var writer = WireWriter()
                writer.put(
                    JournalRecord.event(
                        JournaledEvent(
                            at: random.instant(), random: random.ticket(), event: event,
                            digest: random.next())))
                var bytes = writer.bytes
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: random.next())
                bytes.removeLast(Int(random.next() % 3))
                var reader = WireReader(bytes)
                _ = try? JournalRecord(from: &reader)
            }
        }
    }

    @Test("a digest changes with each bit and with the length")
    func digests() {
        var random = SplitMix(seed: 3)
        for count in 0..<70 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let digest = Digest.of(bytes)
            for bit in 0..<count * 8 {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(Digest.of(changed) != digest)
            }
            #expect(Digest.of(bytes + [0]) != digest)
        }
    }

    @Test("a limit and settings that are not counts are brought into their range")
    func extremes() throws {
        let shortage = Shortage(
            resource: .memory, limit: .min, retryAt: 0, wait: .zero,
            since: WallTime(milliseconds: 0))
        #expect(try Self.copy(shortage).limit == 0)
        var policy = Policy.server
        for setting in PolicySetting.all { setting.set(.max, in: &policy) }
        let copy = try Self.copy(policy)
        let (sum, overflow) = copy.concurrentAttempts
            .addingReportingOverflow(copy.concurrencyLimits.continued)
        #expect(!overflow && sum > 0)
    }

    private static func copy<Value: WireValue>(_ value: Value) throws -> Value {
        var writer = WireWriter()
        writer.put(value)
        var reader = WireReader(writer.bytes)
        let copy = try Value(from: &reader)
        #expect(reader.isAtEnd)
        return copy
    }

    private static func bytes(_ values: [some WireWritable]) -> [[UInt8]] {
        values.map { value in
            var writer = WireWriter()
            writer.put(value)
            return writer.bytes
        }
    }
}
