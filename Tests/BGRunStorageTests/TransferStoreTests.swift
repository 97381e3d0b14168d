// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunStorage

@Suite("The store of transfers", .timeLimit(.minutes(10)))
struct TransferStoreTests {
    let scratch: Scratch
    private var path: String { scratch.path + "/transfers.sqlite" }

    init() throws { scratch = try Scratch() }

    private func open() throws -> TransferStore { try TransferStore.open(path) }

    @Test("a transfer with any options is read unchanged")
    func roundTrip() throws {
        let store = try open()
        let requests = [TransferRequest.sample, .full]
        for request in requests {
            let id = try store.add(request, name: request.note, at: .sample(5))
            let found = try #require(try open().transfer(id))
            #expect(found.request == request)
            #expect(found.name == request.note)
            #expect(found.submitted == .sample(5))
            #expect(found.progress == TransferProgress())
            #expect(!found.isDelivered && found.wanted == .run && !found.isFinished)
        }
    }

    @Test("every field of the progress is read unchanged")
    func progress() throws {
        let store = try open()
        let id = try store.add(.sample, at: .sample(1))
        for result in [nil] + TransferResult.allCases.map(Optional.some) {
            for failure in [nil] + TransferFailure.allCases.map(Optional.some) {
                var progress = TransferProgress.full
                progress.result = result
                progress.failure = failure
                try store.save([(id, progress)], .normal)
                #expect(try store.transfer(id)?.progress == progress)
            }
        }
    }

    @Test("progress is synced to the disk only if requested")
    func durability() throws {
        let store = try open()
        let id = try store.add(.sample, at: .sample(1))
        let parts = Mirror(reflecting: store).children
        let database = try #require(parts.first { $0.label == "database" }?.value as? Database)
        for (durability, level) in [(Durability.normal, 1), (.full, 2), (.normal, 1)] {
            try store.save([(id, .full)], durability)
            #expect(try database.value("PRAGMA synchronous") == level)
        }
    }

    @Test("requested states and progress of the service do not overwrite each other")
    func writers() throws {
        let (host, service) = (try open(), try open())
        let id = try host.add(.sample, at: .sample(1))
        let seen = try #require(try service.transfer(id))
        #expect(try host.want(.cancelled, of: id))
        var progress = seen.progress
        progress.bytes = 7
        try service.save([(id, progress)], .full)
        let now = try #require(try host.transfer(id))
        #expect(now.wanted == .cancelled)
        #expect(now.progress.bytes == 7)
    }

    @Test("no state can be requested of a cancelled or finished transfer")
    func want() throws {
        let store = try open()
        let id = try store.add(.sample, wanted: .suspended, at: .sample(1))
        #expect(try store.want(.run, of: id))
        #expect(try store.want(.cancelledResumable, of: id))
        #expect(try !store.want(.run, of: id))
        let other = try store.add(.sample, at: .sample(1))
        try store.save([(other, .full)], .full)
        #expect(try !store.want(.paused, of: other))
        #expect(try !store.want(.paused, of: 99))
        #expect(try store.transfer(other)?.wanted == .run)
    }

    @Test("undelivered transfers are delivered in the order in which they finished")
    func undelivered() throws {
        let store = try open()
        let ids = try (0..<4).map { _ in try store.add(.sample, at: .sample(1)) }
        for (place, id) in [ids[2], ids[0], ids[1]].enumerated() {
            var progress = TransferProgress.full
            progress.finished = .sample(Int64(place))
            try store.save([(id, progress)], .full)
        }
        #expect(try store.transfers(.undelivered).map(\.id) == [ids[2], ids[0], ids[1]])
        #expect(try store.transfers(.unfinished).map(\.id) == [ids[3]])
        try store.noteDelivered([ids[2], ids[0]])
        #expect(try store.transfers(.undelivered).map(\.id) == [ids[1]])
    }

    @Test("only delivered transfers are deleted, except the last of each declaration")
    func prune() throws {
        let store = try open()
        let ids = try ["a", "a", nil, "b", nil].map {
            try store.add(.sample, name: $0, at: .sample(1))
        }
        try store.save(ids.map { ($0, .full) }, .full)
        try store.noteDelivered(Array(ids.dropLast()))
        #expect(try store.prune(before: .sample(10)) == 0)
        #expect(try store.prune(before: .sample(11)) == 2)
        #expect(try store.transfers(.all).map(\.id) == [ids[1], ids[3], ids[4]])
        try store.noteDelivered([ids[4]])
        try store.prune(before: .sample(11))
        #expect(try store.add(.sample, at: .sample(1)) == ids[4] + 1)
    }

    @Test("the newest transfers of a declaration and undelivered ones stay")
    func pruneDeclared() throws {
        let store = try open()
        let ids = try ["a", "b", "a", "a", "a", "a"].map {
            try store.add(.sample, name: $0, at: .sample(1))
        }
        try store.save(ids.dropLast().map { ($0, .full) }, .full)
        try store.noteDelivered([ids[0], ids[1], ids[3], ids[4]])
        try store.prune(declared: "a", keeping: 3)
        #expect(try store.transfers(.all).map(\.id) == Array(ids[1...]))
        try store.prune(declared: "a", keeping: 1)
        #expect(try store.transfers(.all).map(\.id) == [ids[1], ids[2], ids[5]])
        #expect(try store.transfers(.last(declared: "a")).map(\.id) == [ids[5]])
        #expect(try store.transfers(.recent(finished: 1)).map(\.id) == [ids[2], ids[5]])
        #expect(try store.transfers(.recent(finished: .max)).count == 3)
        #expect(try store.transfers(.recent(finished: -5)).map(\.id) == [ids[5]])
        #expect(
            try store.transfers(.recent(finished: .max, most: 2)).map(\.id) == [ids[1], ids[2]])
        #expect(
            try store.transfers(.recent(finished: .max, after: ids[2], most: 2)).map(\.id) == [
                ids[5]
            ])
    }

    @Test("transfers are found by session, by declaration and by id")
    func choices() throws {
        let store = try open()
        var other = TransferRequest.sample
        other.session = "com.example.other"
        let first = try store.add(.sample, name: "catalog", at: .sample(1))
        let second = try store.add(other, at: .sample(1))
        #expect(try store.transfers(.session("com.example.other")).map(\.id) == [second])
        #expect(try store.transfers(.declared("catalog")).map(\.id) == [first])
        #expect(try store.transfers(.id(second)).map(\.request) == [other])
        #expect(try store.transfers(.id(99)) == [])
    }

    @Test("metered bytes are stored with the date from which they count")
    func metered() throws {
        let store = try open()
        #expect(try store.meteredBudget() == MeteredBudget())
        try store.save([], metered: MeteredBudget(since: .sample(3), bytes: 5), .normal)
        try store.save([], metered: MeteredBudget(since: .sample(4), bytes: 12), .normal)
        #expect(try open().meteredBudget() == MeteredBudget(since: .sample(4), bytes: 12))
    }

    @Test("the conditions without a host are those that the last host stated")
    func stated() throws {
        let store = try open()
        let (none, usual) = try store.stated()
        #expect(none == .unknown && usual == TransferPolicy())
        let conditions = TransferConditions(
            network: .yes, metered: .no, externalPower: .no, isForbidden: true)
        let policy = TransferPolicy(
            parallel: 2, connections: 3, meteredBudget: 4, meteredPeriod: .seconds(5), maxSize: 6)
        try store.state(.unknown, usual)
        try store.state(conditions, policy)
        let (found, numbers) = try open().stated()
        #expect(found == conditions && numbers == policy)
    }

    @Test("a database of version 1 opens with all its data")
    func version1() throws {
        try scratch.execute(Fixture(transfersVersion: 1).sql, in: path)
        let found = try #require(try open().transfer(1))
        #expect(found.progress.bytes == 7 && found.progress.began == .sample(6))
        #expect(found.progress.activeTime == ActiveTime() && found.progress.resumedAt == nil)
        #expect(found.request.maxSize == nil && found.request.acceptsAnyStatus == nil)
    }

    @Test("numbers out of range are not used in calculations")
    func extremes() throws {
        let store = try open()
        let id = try store.add(.sample, at: .sample(1))
        for number in [Int64.min, .max] {
            try scratch.execute(
                """
                UPDATE transfer SET bytes = \(number), total = \(number), began = \(number),
                    failures = \(number), retry_at = \(number), synced = \(number),
                    finished = \(number), spent = \(number), counted = \(number),
                    submitted = \(number);
                """, in: path)
            let progress = try #require(try open().transfer(id)).progress
            #expect(progress.bytes >= 0 && progress.total ?? -1 >= 0 && progress.failures >= 0)
            #expect(abs(progress.began?.milliseconds ?? .max) < 1 << 60)
            #expect(progress.activeTime.deadline(.days(7)) >= 0)
        }
    }

    @Test("a writer with a timeout of 0 does not wait for another program")
    func busy() throws {
        let (holder, store) = (try open(), try TransferStore.open(path, timeout: 0))
        try holder.whileWriting { () throws in
            #expect(throws: StoreError.busy(path: path)) {
                try store.add(.sample, at: .sample(1))
            }
            #expect(try store.transfers(.all).isEmpty)
        }
        #expect(try store.add(.sample, at: .sample(1)) == 1)
    }

    @Test("concurrent writers lose nothing")
    func concurrent() async throws {
        let path = path
        try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let store = try TransferStore.open(path)
                    return try (0..<25).map { _ in try store.add(.sample, at: .sample(1)) }
                }
            }
            let ids = try await group.reduce(into: []) { $0 += $1 }
            #expect(Set(ids).count == 100)
            #expect(try TransferStore.open(path).transfers(.unfinished).map(\.id) == ids.sorted())
        }
    }

    @Test("every transfer that was acknowledged survives kill -9")
    func kill() throws {
        var acknowledged: [Int64] = []
        for round in 1...8 {
            let probe = try Probe("add-transfers", path)
            for _ in 0..<round * 5 {
                acknowledged.append(try #require(probe.readLine().flatMap(Int64.init)))
            }
            probe.kill()
            while let id = probe.readLine().flatMap(Int64.init) { acknowledged.append(id) }
            let found = Set(try open().transfers(.unfinished).map(\.id))
            #expect(Set(acknowledged).subtracting(found) == [])
            #expect(Set(acknowledged).count == acknowledged.count)
        }
    }

    @Test("an unfinished database of a killed process is removed after an hour")
    func leftovers() throws {
        func leave(_ name: String, minutes: Double) throws {
            let file = scratch.path + "/" + name
            try Data([1]).write(to: URL(fileURLWithPath: file))
            let date = Date(timeIntervalSinceNow: -60 * minutes)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
        }
        let kept = ["transfers.sqlite.new-2", "transfers.sqlite.news", "bgrun.sqlite.new-1"]
        let removed = ["transfers.sqlite.new-1", "transfers.sqlite.new-1-journal"]
        for _ in ["missing", "present"] {
            for name in removed + kept.dropFirst() { try leave(name, minutes: 70) }
            // This one may be in use.
            try leave(kept[0], minutes: 50)
            _ = try TransferStore.open(path)
            let names = Set(try scratch.contents().keys)
            #expect(names.isSuperset(of: kept) && names.isDisjoint(with: removed))
        }
        try leave(removed[0], minutes: 70)
        _ = try TransferStore.open(path, readOnly: true)
        #expect(try scratch.contents()[removed[0]] != nil)
    }

    @Test(
        "a database that is truncated to zero bytes, or missing beside its log, is damaged",
        arguments: [true, false])
    func emptied(readOnly: Bool) throws {
        _ = try open().add(.sample, at: .sample(1))
        try Data().write(to: URL(fileURLWithPath: path))
        let before = try scratch.contents()
        #expect(throws: StoreError.emptied(path: path)) {
            try TransferStore.open(path, readOnly: readOnly)
        }
        #expect(try scratch.contents() == before)
        try FileManager.default.removeItem(atPath: path)
        try Data([1]).write(to: URL(fileURLWithPath: path + "-wal"))
        #expect(throws: StoreError.orphaned(path: path)) { try TransferStore.open(path) }
        try FileManager.default.removeItem(atPath: path + "-wal")
        #expect(try open().transfers(.all).isEmpty)
        #expect(try scratch.contents().keys.allSatisfy { !$0.contains(".new") })
    }

    @Test("the databases of apps and of transfers are not accepted for each other")
    func foreign() throws {
        _ = try scratch.open()
        #expect(throws: StoreError.foreign(path: scratch.database, applicationID: 0x6267_726E)) {
            try TransferStore.open(scratch.database)
        }
        _ = try open()
        #expect(throws: StoreError.foreign(path: path, applicationID: 0x6267_7274)) {
            try Store.open(path)
        }
        #expect(throws: StoreError.missing(path: scratch.path + "/none")) {
            try TransferStore.open(scratch.path + "/none", readOnly: true)
        }
    }

    @Test("the database is readable by its owner only")
    func mode() throws {
        _ = try open()
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}

extension WallTime {
    static func sample(_ tick: Int64) -> WallTime { WallTime(milliseconds: tick) }
}

extension TransferRequest {
    static let sample = TransferRequest(
        session: "com.example.library", direction: .download, url: "https://example.com/a")

    /// A request without default values.
    static var full: TransferRequest {
        var request = TransferRequest(
            session: "s", direction: .upload, url: "http://example.com/\u{1F3B5}", file: "/a\nb")
        request.method = "POST"
        request.headers = [Header("Accept", "a"), Header("Accept", "b\"\\")]
        request.sha256 = String(repeating: "a", count: 64)
        request.note = "a note"
        request.earliest = WallTime(milliseconds: .max)
        request.isDiscretionary = true
        request.allowsMetered = false
        request.sendsLaunchEvents = false
        request.requestTimeout = Interval(nanoseconds: .max)
        request.resourceTimeout = .seconds(3)
        request.expectedToSend = .max
        request.expectedToReceive = 0
        request.rate = 1
        request.connections = 2
        request.maxSize = 7
        request.acceptsAnyStatus = true
        request.keepsFile = true
        request.retry = Retry(from: .seconds(1), to: .seconds(2), attempts: 3)
        request.credentials = "/c"
        request.certificate = "/d"
        request.key = "/e"
        request.authorities = "/f"
        request.verifiesServer = false
        request.proxy = "http://proxy"
        request.unlessTag = "W/\"x\""
        request.resume = Resume(file: "/g", validator: "\"v\"")
        request.then = "com.example.import"
        return request
    }
}

extension TransferProgress {
    /// Progress without default values.
    static var full: TransferProgress {
        var progress = TransferProgress()
        progress.bytes = .max
        progress.total = 0
        progress.isRunning = true
        progress.began = .sample(1)
        progress.failures = 2
        progress.retryAt = .sample(3)
        progress.failure = .status
        progress.problem = "503"
        progress.status = 503
        progress.validator = "\"v\""
        progress.tag = "W/\"v\""
        progress.syncedBytes = 4
        progress.boot = "b"
        progress.activeTime = ActiveTime(
            spent: .seconds(5), counted: Interval.seconds(6).nanoseconds, boot: "c")
        progress.resumedAt = 3
        progress.file = "/a"
        progress.responseHeaders = "{}"
        progress.result = .completed
        progress.finished = .sample(10)
        return progress
    }
}
